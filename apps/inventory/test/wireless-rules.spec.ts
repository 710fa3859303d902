import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceIn, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('endpoints of wireless links and LANs', () => {
  let test: TestInventory;
  let ids: Record<string, number>;

  const make = async (path: string, json: unknown): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    return body.id;
  };
  const get = async (path: string): Promise<Json> => (await test.api.get<Json>(`/api/${path}/`)).body;
  const links = 'wireless/wireless-links';

  beforeAll(async () => {
    test = await startInventory();
    for (const { path, body } of [...deviceSurroundings, deviceIn('Switch')]) await make(path.slice(5, -1), body);
    ids = {};
    for (const [name, type] of [
      ['w1', 'ieee802.11ax'],
      ['w2', 'lte'],
      ['w3', 'other-wireless'],
      ['eth1', '1000base-t'],
      ['vlan1', 'virtual'],
    ] as const) {
      ids[name] = await make('dcim/interfaces', { device: { name: 'Switch' }, name, type });
    }
  });
  afterAll(() => test.close());

  it('reject a wireless link between interfaces that are not wireless, and name their type', async () => {
    const wired = await test.api.post(`/api/${links}/`, { json: { interface_a: ids['eth1'], interface_b: ids['w1'] } });
    expect(wired).toMatchObject({
      status: 400,
      body: { interface_a: ['1000BASE-T (1GE) is not a wireless interface.'] },
    });
    const list = await test.api.post(`/api/${links}/`, {
      json: [
        { interface_a: ids['w1'], interface_b: ids['w2'] },
        { interface_a: ids['w3'], interface_b: ids['vlan1'] },
      ],
    });
    expect(list).toMatchObject({ status: 400, body: { 1: { interface_b: ['Virtual is not a wireless interface.'] } } });
  });

  it('return a wireless link in both linked interfaces until the link is deleted', async () => {
    const link = await make(links, { interface_a: ids['w1'], interface_b: ids['w2'] });
    const linked = async (name: string): Promise<unknown> =>
      (await get(`dcim/interfaces/${ids[name]}`))['wireless_link'];
    expect([await linked('w1'), await linked('w2'), await linked('w3')]).toMatchObject([
      { id: link },
      { id: link },
      null,
    ]);
    const twice = await test.api.post(`/api/${links}/`, { json: { interface_a: ids['w1'], interface_b: ids['w2'] } });
    expect(twice).toMatchObject({
      status: 400,
      body: { __all__: ['Wireless link with this Interface A and Interface B already exists.'] },
    });
    await test.api.patch(`/api/${links}/${link}/`, { json: { interface_b: ids['w3'] } });
    expect([await linked('w1'), await linked('w2'), await linked('w3')]).toMatchObject([
      { id: link },
      null,
      { id: link },
    ]);
    expect((await test.api.delete(`/api/dcim/interfaces/${ids['w1']}/`)).status).toBe(409);
    expect((await test.api.delete(`/api/${links}/${link}/`)).status).toBe(204);
    expect([await linked('w1'), await linked('w3')]).toEqual([null, null]);
  });

  it('return encrypted keys, with filters by equality and emptiness only', async () => {
    const lan = await make('wireless/wireless-lans', {
      ssid: 'Guests',
      auth_type: 'wpa-personal',
      auth_psk: 'open sesame',
    });
    expect(await get(`wireless/wireless-lans/${lan}`)).toMatchObject({ auth_psk: 'open sesame' });
    const { rows } = await test.inventory.database.query<{ key: string }>(
      `SELECT auth_psk AS key FROM wireless_wirelesslan WHERE id = ${lan}`,
    );
    expect(rows[0]?.key).not.toContain('sesame');
    const { body: log } = await test.api.get<{ results: Json[] }>(
      `/api/core/object-changes/?changed_object_type=wireless.wirelesslan&changed_object_id=${lan}`,
    );
    expect(log.results).toMatchObject([{ postchange_data: { auth_psk: '********' } }]);
    const equal = await test.api.get<{ count: number }>('/api/wireless/wireless-lans/?auth_psk=open%20sesame');
    expect(equal.body.count).toBe(1);
    const part = await test.api.get('/api/wireless/wireless-lans/?auth_psk__ic=sesame');
    expect(part.status).toBe(400);
    const tooLong = await test.api.post('/api/wireless/wireless-lans/', {
      json: { ssid: 'x', auth_psk: 'x'.repeat(65) },
    });
    expect(tooLong).toMatchObject({
      status: 400,
      body: { auth_psk: ['Ensure this field has no more than 64 characters.'] },
    });
  });

  it('filter wireless LANs by their interfaces', async () => {
    const lan = await make('wireless/wireless-lans', { ssid: 'Staff' });
    await test.api.patch(`/api/dcim/interfaces/${ids['w3']}/`, { json: { wireless_lans: [lan] } });
    const { body } = await test.api.get<{ results: Json[] }>(`/api/wireless/wireless-lans/?interface_id=${ids['w3']}`);
    expect(body.results.map(({ id }) => id)).toEqual([lan]);
  });
});
