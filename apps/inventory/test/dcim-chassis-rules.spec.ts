import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

let test: TestInventory;

async function make(path: string, json: Json): Promise<number> {
  const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
  expect([path, json, status, body]).toEqual([path, json, 201, body]);
  return body.id;
}

const device = (name: string, more: Json = {}): Promise<number> =>
  make('dcim/devices', { ...deviceBasics, name, ...more });

const read = async (path: string): Promise<Json> => (await test.api.get<Json>(`/api/${path}/`)).body;

/** Returns the newest change record of a device. */
async function lastChange(id: number): Promise<Json> {
  const { body } = await test.api.get<{ results: Json[] }>('/api/core/object-changes/', {
    query: { changed_object_type: 'dcim.device', changed_object_id: id, ordering: '-time' },
  });
  return body.results[0] ?? {};
}

beforeAll(async () => {
  test = await startInventory();
  for (const { path, body } of deviceSurroundings) await make(path.slice(5, -1), body);
});
afterAll(() => test.close());

describe('virtual chassis', () => {
  it('adds its master as first member on creation, and records the change of the member', async () => {
    const master = await device('leader');
    const { status, body, headers } = await test.api.post<Json>('/api/dcim/virtual-chassis/', {
      json: { name: 'Stack', master },
    });
    expect(status).toBe(201);
    const shown = {
      id: master,
      url: `http://localhost/api/dcim/devices/${master}/`,
      display_url: `http://localhost/dcim/devices/${master}/`,
      display: 'leader',
      name: 'leader',
    };
    expect(body).toMatchObject({ master: shown, member_count: 1, members: [shown] });
    expect(await read(`dcim/devices/${master}`)).toMatchObject({
      virtual_chassis: { name: 'Stack', member_count: 1, master: { id: master } },
      vc_position: 1,
    });
    expect(await lastChange(master)).toMatchObject({
      action: { value: 'update' },
      request_id: headers['x-request-id'],
      prechange_data: { virtual_chassis: null, vc_position: null },
      postchange_data: { virtual_chassis: body['id'], vc_position: 1 },
    });
  });

  it('rejects a master that is not a member, and the removal of its master from the members', async () => {
    const chassis = await make('dcim/virtual-chassis', { name: 'Pair' });
    const outside = await device('outside');
    const inside = await device('inside', { virtual_chassis: chassis, vc_position: 1 });
    const path = `/api/dcim/virtual-chassis/${chassis}/`;
    const refused = await test.api.patch(path, { json: { master: outside } });
    expect([refused.status, refused.body]).toEqual([
      400,
      { master: ['The selected master (outside) is not assigned to this virtual chassis.'] },
    ]);
    const absent = await test.api.patch(path, { json: { master: 999_999 } });
    expect(absent.body).toEqual({ master: ['Related object not found using the provided numeric ID: 999999'] });
    expect((await test.api.patch(path, { json: { master: inside } })).status).toBe(200);
    const leaving = await test.api.patch(`/api/dcim/devices/${inside}/`, { json: { virtual_chassis: null } });
    const reason =
      'Device cannot be removed from virtual chassis Pair because it is currently designated as its master.';
    expect([leaving.status, leaving.body]).toEqual([400, { virtual_chassis: [reason] }]);
    expect((await test.api.delete(`/api/dcim/devices/${inside}/`)).status).toBe(409);
    const twice = await test.api.post('/api/dcim/virtual-chassis/', { json: { name: 'Other', master: inside } });
    expect(twice.body).toEqual({ master: ['virtual chassis with this master already exists.'] });
  });

  it('accepts only one of two concurrent requests that make a device master and remove the device', async () => {
    const chassis = await make('dcim/virtual-chassis', { name: 'Contested' });
    const member = await device('contested', { virtual_chassis: chassis, vc_position: 1 });
    const responses = await Promise.all([
      test.api.patch(`/api/dcim/virtual-chassis/${chassis}/`, { json: { master: member } }),
      test.api.patch(`/api/dcim/devices/${member}/`, { json: { virtual_chassis: null } }),
    ]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });

  it('requires its members to have unique positions', async () => {
    const chassis = await make('dcim/virtual-chassis', { name: 'Row' });
    await device('row 1', { virtual_chassis: chassis, vc_position: 1 });
    const refused = async (more: Json): Promise<unknown> => {
      const json = { ...deviceBasics, name: 'row 2', virtual_chassis: chassis, ...more };
      const { status, body } = await test.api.post('/api/dcim/devices/', { json });
      expect(status).toBe(400);
      return body;
    };
    expect(await refused({})).toEqual({
      vc_position: ['A device assigned to a virtual chassis must have its position defined.'],
    });
    expect(await refused({ vc_position: 1 })).toHaveProperty('__all__');
    expect(await refused({ vc_position: 256 })).toEqual({
      vc_position: ['Ensure this value is less than or equal to 255.'],
    });
  });

  it('clears positions and priorities of its members on deletion', async () => {
    const master = await device('gone 1');
    const chassis = await make('dcim/virtual-chassis', { name: 'Gone', master });
    const member = await device('gone 2', { virtual_chassis: chassis, vc_position: 2, vc_priority: 9 });
    expect((await test.api.delete(`/api/dcim/virtual-chassis/${chassis}/`)).status).toBe(204);
    for (const id of [master, member]) {
      expect(await read(`dcim/devices/${id}`)).toMatchObject({
        virtual_chassis: null,
        vc_position: null,
        vc_priority: null,
      });
    }
    expect(await lastChange(member)).toMatchObject({
      prechange_data: { vc_position: 2, vc_priority: 9 },
      postchange_data: { vc_position: null, vc_priority: null },
    });
  });

  it('returns the new name of its master when the same request renames the master', async () => {
    const master = await device('named 1');
    const chassis = await make('dcim/virtual-chassis', { name: 'Named', master });
    const member = await device('named 2', { virtual_chassis: chassis, vc_position: 2 });
    const shown = (body: unknown): unknown[] => [body].flat().map((each) => Object(each).virtual_chassis.master.name);
    const path = '/api/dcim/devices/';
    const one = await test.api.patch(`${path}${master}/`, { json: { name: 'renamed' } });
    const json = [
      { id: master, name: 'renamed again' },
      { id: member, comments: 'beside it' },
    ];
    const list = await test.api.patch(path, { json });
    expect([shown(one.body), shown(list.body)]).toEqual([['renamed'], ['renamed again', 'renamed again']]);
    const { rows } = await test.inventory.database.query<{ data: Json }>(
      "SELECT payload::jsonb -> 'data' AS data FROM queue.outbox WHERE key = $1 ORDER BY id DESC LIMIT 1",
      [`dcim.device:${member}`],
    );
    expect(shown(rows.map(({ data }) => data))).toEqual(['renamed again']);
  });

  it('cannot lose a member whose interfaces belong to a LAG of another member', async () => {
    const chassis = await make('dcim/virtual-chassis', { name: 'Bonded' });
    const one = await device('bonded 1', { virtual_chassis: chassis, vc_position: 1 });
    const two = await device('bonded 2', { virtual_chassis: chassis, vc_position: 2 });
    const lag = await make('dcim/interfaces', { device: one, name: 'ae0', type: 'lag' });
    const port = await make('dcim/interfaces', { device: two, name: 'xe-0', type: '10gbase-t', lag });
    const path = `/api/dcim/virtual-chassis/${chassis}/`;
    const { status, body } = await test.api.delete<Json>(path);
    expect([status, String(body['detail'])]).toEqual([409, expect.stringContaining(`xe-0 (${port})`)]);
    await test.api.patch(`/api/dcim/interfaces/${port}/`, { json: { lag: null } });
    expect((await test.api.delete(path)).status).toBe(204);
  });
});

describe('virtual device context', () => {
  it('requires a unique name and primary addresses of its device or chassis', async () => {
    const chassis = await make('dcim/virtual-chassis', { name: 'Contexts' });
    const own = await device('contexts 1', { virtual_chassis: chassis, vc_position: 1 });
    const peer = await device('contexts 2', { virtual_chassis: chassis, vc_position: 2 });
    const stranger = await device('contexts 3');
    const address = async (text: string, owner: number, more: Json = {}): Promise<number> => {
      const port = await make('dcim/interfaces', { device: owner, name: text, type: 'virtual', ...more });
      return make('ipam/ip-addresses', {
        address: text,
        assigned_object_type: 'dcim.interface',
        assigned_object_id: port,
      });
    };
    const four = await address('198.51.100.1/24', own);
    const six = await address('2001:db8:1::1/64', peer);
    const foreign = await address('198.51.100.2/24', stranger);
    const management = await address('198.51.100.3/24', peer, { mgmt_only: true });
    const basics = { name: 'blue', device: own, status: 'active' };
    const refused = async (more: Json): Promise<unknown> => {
      const { status, body } = await test.api.post('/api/dcim/virtual-device-contexts/', {
        json: { ...basics, ...more },
      });
      expect([more, status]).toEqual([more, 400]);
      return body;
    };
    const notOurs = 'Primary IP address must belong to an interface on the assigned device.';
    expect(await refused({ primary_ip4: foreign })).toEqual({ primary_ip4: [notOurs] });
    expect(await refused({ primary_ip4: management })).toEqual({ primary_ip4: [notOurs] });
    expect(await refused({ primary_ip4: six })).toEqual({
      primary_ip4: ['2001:db8:1::1/64 is not an IPv4 address.'],
    });
    expect(await refused({ primary_ip6: four })).toEqual({ primary_ip6: ['198.51.100.1/24 is not an IPv6 address.'] });
    const id = await make('dcim/virtual-device-contexts', {
      ...basics,
      identifier: 1,
      primary_ip4: four,
      primary_ip6: six,
    });
    expect(await read(`dcim/virtual-device-contexts/${id}`)).toMatchObject({ primary_ip: { id: six } });
    expect(await refused({ identifier: 2 })).toHaveProperty('__all__');
    expect(await refused({ name: 'green', identifier: 1 })).toHaveProperty('__all__');
    expect((await test.api.delete(`/api/dcim/devices/${own}/`)).status).toBe(409);
    await test.api.delete(`/api/ipam/ip-addresses/${six}/`);
    expect(await read(`dcim/virtual-device-contexts/${id}`)).toMatchObject({ primary_ip: { id: four } });
  });
});
