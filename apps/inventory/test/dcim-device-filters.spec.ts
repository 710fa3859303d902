import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

let test: TestInventory;

async function make(path: string, json: Json): Promise<number> {
  const { status, body } = await test.api.post<{ id: number }>(path, { json });
  expect([path, status, body]).toEqual([path, 201, body]);
  return body.id;
}

/**
 * Id of a test device with one component of each kind. Of the other test devices, `empty` has no components, and
 * `small` is installed in a bay of `full`.
 */
let full = 0;
let empty = 0;
let small = 0;
const ids: Record<string, number> = {};

beforeAll(async () => {
  test = await startInventory();
  for (const { path, body } of deviceSurroundings) await make(path, body);
  const types = '/api/dcim/device-types/';
  const manufacturer = { slug: 'acme' };
  await make(types, { manufacturer, model: 'Frame', slug: 'frame', subdevice_role: 'parent', is_full_depth: false });
  await make(types, { manufacturer, model: 'Blade', slug: 'blade', subdevice_role: 'child', u_height: 0 });
  const device = (name: string, more: Json): Promise<number> =>
    make('/api/dcim/devices/', { ...deviceBasics, name, ...more });
  const chassis = await make('/api/dcim/virtual-chassis/', { name: 'Stack' });
  full = await device('full', { device_type: { slug: 'frame' }, virtual_chassis: chassis, vc_position: 1 });
  empty = await device('empty', {});
  small = await device('small', { device_type: { slug: 'blade' } });
  const on = (path: string, more: Json): Promise<number> =>
    make(`/api/dcim/${path}/`, { device: full, name: `${path} 1`, ...more });
  for (const path of ['console-ports', 'console-server-ports', 'power-ports', 'power-outlets', 'module-bays']) {
    await on(path, {});
  }
  await on('inventory-items', {});
  ids['port'] = await on('interfaces', { type: '1000base-t' });
  await on('rear-ports', { type: '8p8c', positions: 1 });
  ids['bay'] = await on('device-bays', { installed_device: small });
  await on('virtual-device-contexts', { status: 'active' });
  const assigned = { assigned_object_type: 'dcim.interface', assigned_object_id: ids['port'] };
  await make('/api/dcim/mac-addresses/', { mac_address: '00:00:5E:00:53:01', ...assigned });
  ids['four'] = await make('/api/ipam/ip-addresses/', { address: '192.0.2.1/24', ...assigned });
  ids['six'] = await make('/api/ipam/ip-addresses/', { address: '2001:db8::1/64', ...assigned });
  const addresses = { primary_ip4: ids['four'], primary_ip6: ids['six'], oob_ip: ids['four'] };
  const { status } = await test.api.patch(`/api/dcim/devices/${full}/`, { json: addresses });
  expect(status).toBe(200);
});
afterAll(() => test.close());

async function found(query: string): Promise<unknown[]> {
  const { status, body } = await test.api.get<{ results: Json[] }>(`/api/dcim/devices/?${query}`);
  expect([query, status, body]).toEqual([query, 200, body]);
  return body.results.map(({ id }) => id).toSorted();
}

describe('GET /api/dcim/devices/', () => {
  it('filters by the existence and the number of components', async () => {
    const having = [
      'console_ports',
      'console_server_ports',
      'power_ports',
      'power_outlets',
      'interfaces',
      'module_bays',
    ];
    const others = ['device_bays', 'pass_through_ports', 'has_virtual_device_context', 'virtual_chassis_member'];
    for (const name of [...having, ...others, 'has_primary_ip', 'has_oob_ip']) {
      expect([name, await found(`${name}=true`)]).toEqual([name, [full]]);
      expect([name, await found(`${name}=false`)]).toEqual([name, [empty, small]]);
    }
    const counts = ['console_port', 'console_server_port', 'power_port', 'power_outlet', 'interface', 'rear_port'];
    for (const name of [...counts, 'device_bay', 'module_bay', 'inventory_item']) {
      expect([name, await found(`${name}_count=1`)]).toEqual([name, [full]]);
      expect([name, await found(`${name}_count__lt=1`)]).toEqual([name, [empty, small]]);
    }
    expect(await found('front_port_count=0')).toEqual([full, empty, small]);
  });

  it('filters by MAC address, primary address and out-of-band address', async () => {
    expect(await found('mac_address=00-00-5e-00-53-01')).toEqual([full]);
    expect(await found('mac_address__n=00:00:5e:00:53:01')).toEqual([empty, small]);
    expect(await found('mac_address__ic=53:01')).toEqual([full]);
    expect(await found('primary_ip4=192.0.2.1/24')).toEqual([full]);
    expect(await found(`primary_ip6_id=${ids['six']}`)).toEqual([full]);
    expect(await found(`oob_ip_id=${ids['four']}`)).toEqual([full]);
    expect(await found('primary_ip6__n=2001:db8::1/64')).toEqual([empty, small]);
    expect(await found('q=192.0.2.1')).toEqual([full]);
    expect(await found('q=2001:DB8:0::1')).toEqual([full]);
  });

  it('filters by parent device, chassis and device type', async () => {
    expect(await found(`parent_device_id=${full}`)).toEqual([small]);
    expect(await found(`parent_bay_id=${ids['bay']}`)).toEqual([small]);
    expect(await found('parent_bay_id=null')).toEqual([full, empty]);
    expect(await found('model=frame&model=blade')).toEqual([full, small]);
    expect(await found('is_full_depth=false')).toEqual([full]);
    expect(await found('q=stack')).toEqual([full]);
  });
});
