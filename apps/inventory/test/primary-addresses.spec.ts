import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('primary and out-of-band addresses', () => {
  let test: TestInventory;
  const ids: Record<string, number> = {};
  const make = async (name: string, path: string, json: Json): Promise<void> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    ids[name] = body.id;
  };
  const change = (path: string, json: Json) => test.api.patch<Json>(`/api/${path}/`, { json });
  const move = (address: string, json: Json) => change(`ipam/ip-addresses/${ids[address]}`, json);
  const refused = (role: string): object => ({
    status: 400,
    body: {
      __all__: [`Cannot reassign IP address while it is designated as the ${role} IP for the parent object`],
    },
  });

  beforeAll(async () => {
    test = await startInventory();
    for (const { name, path, body } of deviceSurroundings) await make(name, path.slice(5, -1), body);
    for (const name of ['sw1', 'sw2']) {
      await make(name, 'dcim/devices', { name, ...deviceBasics });
      for (const port of ['eth0', 'eth1']) {
        await make(`${name} ${port}`, 'dcim/interfaces', { device: ids[name], name: port, type: '1000base-t' });
      }
    }
    await make('vm', 'virtualization/virtual-machines', { name: 'vm', site: ids['deviceSite'] });
    await make('veth', 'virtualization/interfaces', { virtual_machine: ids['vm'], name: 'veth' });
    const address = (name: string, text: string, type: string, holder: string): Promise<void> =>
      make(name, 'ipam/ip-addresses', { address: text, assigned_object_type: type, assigned_object_id: ids[holder] });
    await address('primary', '10.0.0.1/24', 'dcim.interface', 'sw1 eth0');
    await address('spare', '10.0.0.2/24', 'dcim.interface', 'sw1 eth0');
    await address('oob', '10.0.0.3/24', 'dcim.interface', 'sw1 eth0');
    await address('of vm', '10.0.0.4/24', 'virtualization.vminterface', 'veth');
    const designated = { primary_ip4: ids['primary'], oob_ip: ids['oob'] };
    expect((await change(`dcim/devices/${ids['sw1']}`, designated)).status).toBe(200);
    const ofMachine = { primary_ip4: ids['of vm'] };
    expect((await change(`virtualization/virtual-machines/${ids['vm']}`, ofMachine)).status).toBe(200);
  });
  afterAll(() => test.close());

  it('stay on interfaces of their device or virtual machine', async () => {
    const away = { assigned_object_type: 'dcim.interface', assigned_object_id: ids['sw2 eth0'] };
    const nowhere = { assigned_object_type: null, assigned_object_id: null };
    expect(await move('primary', away)).toMatchObject(refused('primary'));
    expect(await move('primary', nowhere)).toMatchObject(refused('primary'));
    expect(await move('oob', away)).toMatchObject(refused('OOB'));
    expect(await move('of vm', away)).toMatchObject(refused('primary'));
    expect(await move('of vm', nowhere)).toMatchObject(refused('primary'));
    expect((await move('primary', { assigned_object_id: ids['sw1 eth1'] })).status).toBe(200);
    expect((await move('spare', away)).status).toBe(200);
    expect((await move('spare', nowhere)).status).toBe(200);
  });

  it('cause an error that names the rejected address when a bulk PATCH moves several addresses', async () => {
    const json = ['spare', 'primary'].map((name) => ({
      id: ids[name],
      assigned_object_type: 'dcim.interface',
      assigned_object_id: ids['sw2 eth0'],
    }));
    expect(await test.api.patch('/api/ipam/ip-addresses/', { json })).toMatchObject(refused('primary'));
  });

  it('can move when no device uses the address, and become null when the address is deleted', async () => {
    const device = `dcim/devices/${ids['sw1']}`;
    expect((await change(device, { oob_ip: null })).status).toBe(200);
    expect((await move('oob', { assigned_object_type: null, assigned_object_id: null })).status).toBe(200);
    const { status, headers } = await test.api.delete(`/api/ipam/ip-addresses/${ids['primary']}/`);
    expect(status).toBe(204);
    expect((await test.api.get<Json>(`/api/${device}/`)).body['primary_ip4']).toBeNull();
    const { body } = await test.api.get<{ results: Json[] }>(
      `/api/core/object-changes/?request_id=${String(headers['x-request-id'])}&ordering=id`,
    );
    expect(body.results.map((entry) => [entry['changed_object_type'], Object(entry['action'])['value']])).toEqual([
      ['dcim.device', 'update'],
      ['ipam.ipaddress', 'delete'],
    ]);
  });
});
