import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { observeStatements } from './support/record-observed-statements.js';

type Json = Record<string, unknown>;

let test: TestInventory;
const ids: Record<string, number> = {};

async function make(name: string, path: string, json: Json): Promise<number> {
  const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
  expect([name, status, body]).toEqual([name, 201, body]);
  ids[name] = body.id;
  return body.id;
}

const named = (name: string, more: Json = {}): Json => ({ name, slug: name.toLowerCase(), ...more });

/** Creates a parent object and a child object in a tree. */
async function branch(path: string, upper: string, lower: string, more: Json = {}): Promise<void> {
  const parent = await make(upper, path, named(upper, more));
  await make(lower, path, named(lower, { ...more, parent }));
}

async function contextOf(path: string): Promise<unknown> {
  const { body } = await test.api.get<Json>(path);
  return body['config_context'];
}

const device = (): string => `/api/dcim/devices/${ids['device']}/`;
const machine = (): string => `/api/virtualization/virtual-machines/${ids['machine']}/`;

beforeAll(async () => {
  // Responses are not cached, because the test counts the statements of a list.
  // Lists of 12 objects are written in memory, longer ones by temporary tables.
  test = await startInventory({
    RESPONSE_MEMORY_BYTES: '0',
    UPDATE_TEXT_BYTES_MAX: '115000',
    CREATION_IN_MEMORY_MAX: '12',
    UPDATE_IN_MEMORY_MAX: '12',
  });
  await branch('dcim/regions', 'Europe', 'Netherlands');
  await branch('dcim/site-groups', 'Edge', 'Branch');
  await branch('dcim/device-roles', 'Network', 'Switch');
  await branch('dcim/platforms', 'Unix', 'Linux');
  await make('group', 'tenancy/tenant-groups', named('Customers'));
  await make('tenant', 'tenancy/tenants', named('Tenant', { group: ids['group'] }));
  const site = await make('site', 'dcim/sites', named('Site', { region: ids['Netherlands'], group: ids['Branch'] }));
  await branch('dcim/locations', 'Floor', 'Room', { site });
  await make('manufacturer', 'dcim/manufacturers', named('Acme'));
  await make('type', 'dcim/device-types', { manufacturer: ids['manufacturer'], model: 'Box', slug: 'box' });
  await make('clusterType', 'virtualization/cluster-types', named('KVM'));
  await make('clusterGroup', 'virtualization/cluster-groups', named('West'));
  const kind = { type: ids['clusterType'], group: ids['clusterGroup'] };
  await make('cluster', 'virtualization/clusters', { name: 'One', ...kind });
  await make('tag', 'extras/tags', named('Alpha'));
  const shared = {
    site,
    role: ids['Switch'],
    platform: ids['Linux'],
    tenant: ids['tenant'],
    cluster: ids['cluster'],
    tags: [ids['tag']],
  };
  const place = { device_type: ids['type'], location: ids['Room'] };
  await make('device', 'dcim/devices', { name: 'Device', ...shared, ...place });
  await make('other', 'dcim/devices', { name: 'Other', site, role: ids['Network'], device_type: ids['type'] });
  await make('machine', 'virtualization/virtual-machines', { name: 'Machine', ...shared });
});
afterAll(() => test.close());

/** Creates config contexts, runs a function and then deletes the config contexts. */
async function withContexts(contexts: readonly Json[], run: () => Promise<void>): Promise<void> {
  const { status, body } = await test.api.post<{ id: number }[]>('/api/extras/config-contexts/', { json: contexts });
  expect([status, body]).toEqual([201, body]);
  await run();
  await test.api.delete('/api/extras/config-contexts/', { json: body.map(({ id }) => ({ id })) });
}

describe('config contexts of a device', () => {
  it("include contexts for the device's site, role or tags, or for their ancestors", async () => {
    const criteria: Record<string, { list: string; id: string; not: string }> = {
      region: { list: 'regions', id: 'Europe', not: 'device' },
      group: { list: 'site_groups', id: 'Edge', not: 'device' },
      site: { list: 'sites', id: 'site', not: 'device' },
      location: { list: 'locations', id: 'Floor', not: 'machine' },
      type: { list: 'device_types', id: 'type', not: 'machine' },
      role: { list: 'roles', id: 'Network', not: 'device' },
      platform: { list: 'platforms', id: 'Unix', not: 'device' },
      clusterType: { list: 'cluster_types', id: 'clusterType', not: 'device' },
      clusterGroup: { list: 'cluster_groups', id: 'clusterGroup', not: 'device' },
      cluster: { list: 'clusters', id: 'cluster', not: 'device' },
      tenantGroup: { list: 'tenant_groups', id: 'group', not: 'device' },
      tenant: { list: 'tenants', id: 'tenant', not: 'device' },
    };
    const contexts: Json[] = Object.entries(criteria).map(([name, { list, id }]) => ({
      name,
      data: { [name]: true },
      [list]: [ids[id]],
    }));
    contexts.push({ name: 'tag', data: { tag: true }, tags: ['alpha'] }, { name: 'all', data: { all: true } });
    await withContexts(contexts, async () => {
      const everything = Object.fromEntries([...Object.keys(criteria), 'tag', 'all'].map((name) => [name, true]));
      expect(await contextOf(device())).toEqual(everything);
      const { location: _location, type: _type, ...forMachines } = everything;
      expect(await contextOf(machine())).toEqual(forMachines);
      expect(await contextOf(`/api/dcim/devices/${ids['other']}/`)).toEqual({
        all: true,
        region: true,
        group: true,
        site: true,
        type: true,
        role: true,
      });
    });
  });

  it('include only active contexts whose non-empty lists all match the device', async () => {
    await withContexts(
      [
        { name: 'below', data: { below: true }, roles: [ids['Switch']] },
        { name: 'both', data: { both: true }, roles: [ids['Network']], tenants: [ids['tenant']] },
        { name: 'off', data: { off: true }, is_active: false },
      ],
      async () => {
        expect(await contextOf(`/api/dcim/devices/${ids['other']}/`)).toEqual({});
        expect(await contextOf(device())).toEqual({ below: true, both: true });
      },
    );
  });
});

describe('GET /api/dcim/devices/{id}/: config_context', () => {
  it('merges contexts by weight and name, with local data last', async () => {
    await withContexts(
      [
        { name: 'b', weight: 10, data: { a: { x: 1, y: 1 }, list: [1, 2], who: 'b', gone: { a: 1 } } },
        { name: 'a', weight: 10, data: { a: { x: 0, z: 0 }, list: [3], who: 'a', deep: { one: { two: 1 } } } },
        { name: '0', weight: 20, data: { a: { y: 2 }, who: '0', gone: {}, deep: { one: { three: 3 } } } },
      ],
      async () => {
        const merged = {
          a: { x: 1, y: 2, z: 0 },
          list: [1, 2],
          who: '0',
          gone: {},
          deep: { one: { two: 1, three: 3 } },
        };
        expect(await contextOf(device())).toEqual(merged);
        const local_context_data = { who: 'local', a: { y: null } };
        const { body } = await test.api.patch<Json>(device(), { json: { local_context_data } });
        expect(body['config_context']).toEqual({ ...merged, who: 'local', a: { x: 1, y: null, z: 0 } });
        await test.api.patch<Json>(device(), { json: { local_context_data: null } });
      },
    );
  });

  it('shows changes of a context, and of objects that the context is assigned to, immediately', async () => {
    const id = await make('context', 'extras/config-contexts', { name: 'c', data: { v: 1 }, tags: ['alpha'] });
    const path = `/api/extras/config-contexts/${id}/`;
    expect(await contextOf(device())).toEqual({ v: 1 });
    await test.api.patch(path, { json: { tags: [], sites: [ids['site']], data: { v: 2 } } });
    expect(await contextOf(`/api/dcim/devices/${ids['other']}/`)).toEqual({ v: 2 });
    const elsewhere = await make('elsewhere', 'dcim/sites', named('Elsewhere'));
    await test.api.patch(path, { json: { sites: [elsewhere] } });
    expect(await contextOf(device())).toEqual({});
    // A config context is no longer restricted by a list of objects when the last object of the list is deleted.
    await test.api.delete(`/api/dcim/sites/${elsewhere}/`);
    expect(await contextOf(device())).toEqual({ v: 2 });
    await test.api.delete(path);
  });

  it('merges data as deeply nested as a request may contain', async () => {
    const nested = (leaf: string): Json =>
      Array.from({ length: 90 }).reduce<Json>((inner) => ({ inner }), { [leaf]: true });
    await withContexts(
      [
        { name: 'one', data: nested('one') },
        { name: 'two', data: nested('two') },
      ],
      async () => expect((await test.api.get(device())).status).toBe(200),
    );
  });
});

describe('GET /api/dcim/devices/: config_context', () => {
  it('needs no extra SQL statement and is omitted with exclude or brief', async () => {
    await withContexts([{ name: 'c', data: { v: 1 } }], async () => {
      const list = '/api/dcim/devices/';
      const spy = vi.spyOn(test.inventory.database.pool, 'query');
      const { body } = await vi.waitFor(async () => {
        spy.mockClear();
        const response = await test.api.get<{ results: Json[] }>(list);
        expect(spy.mock.calls.length).toBe(1);
        return response;
      }, 10_000);
      expect(body.results.map((one) => one['config_context'])).toEqual([{ v: 1 }, { v: 1 }]);
      spy.mockClear();
      const excluded = await test.api.get<{ results: Json[] }>(list, { query: { exclude: 'config_context' } });
      expect(excluded.body.results.map((one) => 'config_context' in one)).toEqual([false, false]);
      expect(JSON.stringify(spy.mock.calls)).not.toContain('configcontext');
      spy.mockRestore();
      const paged = await test.api.get<{ results: Json[]; count: number }>(list, { query: { limit: 1, offset: 1 } });
      expect(paged.body).toMatchObject({ count: 2, results: [{ name: 'Other', config_context: { v: 1 } }] });
      expect((await test.api.get<Json>(device(), { query: { brief: true } })).body).not.toHaveProperty(
        'config_context',
      );
      const one = await test.api.get<Json>(machine(), { query: { exclude: 'config_context' } });
      expect(one.body).not.toHaveProperty('config_context');
    });
  });
});

const longContext = (): Json => ({ name: 'Long', sites: [ids['site']], data: { text: 'x'.repeat(10_000) } });
const tooLong = {
  non_field_errors: [
    'Write fewer objects in one request: these show more than 115000 bytes of other objects, such as config contexts.',
  ],
};

describe.each([
  ['in memory', 12],
  ['by temporary tables', 13],
])('list of virtual machines, written %s, whose config contexts exceed UPDATE_TEXT_BYTES_MAX', (way, count) => {
  const path = '/api/virtualization/virtual-machines/';
  const machinesOf = (name: string, more: Json): Json[] =>
    Array.from({ length: count }, (_, n) => ({ name: `${name} ${way} ${n}`, ...more }));
  it('responds 400 to PATCH when the machines have or would get these contexts', async () => {
    const elsewhere = await make('far', 'dcim/sites', { name: `Far ${count}`, slug: `far-${count}` });
    const { body: machines } = await test.api.post<{ id: number }[]>(path, {
      json: machinesOf('old', { site: ids['site'] }),
    });
    const changed = machines.map(({ id }) => ({ id, comments: 'changed' }));
    const moved = machines.map(({ id }) => ({ id, site: elsewhere }));
    const returned = machines.map(({ id }) => ({ id, site: ids['site'] }));
    await withContexts([longContext()], async () => {
      const refused = await test.api.patch(path, { json: changed });
      expect([refused.status, refused.body]).toEqual([400, tooLong]);
      expect((await test.api.patch(path, { json: moved })).status).toBe(200);
      expect((await test.api.patch(path, { json: changed })).status).toBe(200);
      const back = await test.api.patch(path, { json: returned });
      expect([back.status, back.body]).toEqual([400, tooLong]);
    });
    expect((await test.api.patch(path, { json: returned })).status).toBe(200);
  });

  it('responds 400 to POST, also when the contexts are assigned by tag', async () => {
    const atSite = machinesOf('new', { site: ids['site'] });
    await withContexts([longContext()], async () => {
      const { status, body } = await test.api.post(path, { json: atSite });
      expect([status, body]).toEqual([400, tooLong]);
    });
    await withContexts([{ ...longContext(), sites: [], tags: ['alpha'] }], async () => {
      const tagged = atSite.map((one) => ({ ...one, tags: [ids['tag']] }));
      const { status, body } = await test.api.post(path, { json: tagged });
      expect([status, body]).toEqual([400, tooLong]);
      const untagged = await test.api.post<Json[]>(path, { json: atSite });
      expect([untagged.status, untagged.body[11]]).toMatchObject([201, { name: `new ${way} 11`, config_context: {} }]);
    });
  });
});

describe('config contexts that exceed UPDATE_TEXT_BYTES_MAX', () => {
  const path = '/api/virtualization/virtual-machines/';
  const makeAll = async (type: string, json: readonly Json[]): Promise<number[]> => {
    const { status, body } = await test.api.post<{ id: number }[]>(`/api/dcim/${type}/`, { json });
    expect([type, status]).toEqual([type, 201]);
    return body.map(({ id }) => id);
  };
  const twelve = (one: (n: number) => Json): Json[] => Array.from({ length: 12 }, (_, n) => one(n));

  it('cause status 400 for writes of machines whose request began before the context was activated', async () => {
    const { database } = test.inventory;
    const machines = (name: string): Json[] => twelve((n) => ({ name: `${name} ${n}`, site: ids['site'] }));
    const { body } = await test.api.post<{ id: number }[]>(path, { json: machines('early') });
    const changed = body.map(({ id }) => ({ id, comments: 'changed' }));
    await withContexts([{ ...longContext(), is_active: false }], async () => {
      const activate = (isActive: boolean) =>
        database.query('UPDATE extras_configcontext SET is_active = $1', [isActive]);
      const onWrite = async (statement: string): Promise<void> => {
        if (/(?:INSERT INTO|UPDATE) virtualization_virtualmachine /.test(statement)) await activate(true);
      };
      const patched = await observeStatements(database, onWrite, () => test.api.patch(path, { json: changed }));
      expect([patched.status, patched.body]).toEqual([400, tooLong]);
      await activate(false);
      const posted = await observeStatements(database, onWrite, () =>
        test.api.post(path, { json: machines('late').map((one) => ({ ...one, tags: [ids['tag']] })) }),
      );
      expect([posted.status, posted.body]).toEqual([400, tooLong]);
    });
  });

  it('cause status 400 for a PATCH of a device that also moves the devices in its bays', async () => {
    const manufacturer = ids['manufacturer'];
    const kinds = ['parent', 'child'].map((kind) => ({ model: kind, slug: kind, subdevice_role: kind, u_height: 0 }));
    const [outer, inner] = await makeAll(
      'device-types',
      kinds.map((kind) => ({ ...kind, manufacturer })),
    );
    const here = { site: ids['site'], role: ids['Switch'] };
    const [chassis] = await makeAll('devices', [{ ...here, name: 'Chassis', device_type: outer }]);
    const blades = await makeAll(
      'devices',
      twelve((n) => ({ ...here, name: `Blade ${n}`, device_type: inner })),
    );
    await makeAll(
      'device-bays',
      twelve((n) => ({ device: chassis, name: `Bay ${n}`, installed_device: blades[n] })),
    );
    const move = () => test.api.patch(`/api/dcim/devices/${chassis}/`, { json: { location: ids['Room'] } });
    await withContexts([longContext()], async () => {
      const { status, body } = await move();
      expect([status, body]).toEqual([400, tooLong]);
    });
    expect((await move()).status).toBe(200);
  });

  it.each([12, 13])(
    'cause status 400 for a POST of %i virtual chassis whose masters show these contexts',
    async (count) => {
      const own = { site: ids['site'], role: ids['Switch'], device_type: ids['type'] };
      const masters = await makeAll(
        'devices',
        Array.from({ length: count }, (_, n) => ({ ...own, name: `Master ${count} ${n}` })),
      );
      const json = masters.map((master) => ({ name: `Stack ${master}`, master }));
      await withContexts([longContext()], async () => {
        const { status, body } = await test.api.post('/api/dcim/virtual-chassis/', { json });
        expect([status, body]).toEqual([400, tooLong]);
      });
      expect((await test.api.post('/api/dcim/virtual-chassis/', { json })).status).toBe(201);
    },
  );
});

describe('config context data', () => {
  const refused = async (json: Json): Promise<unknown> => {
    const { status, body } = await test.api.post('/api/extras/config-contexts/', { json });
    expect(status).toBe(400);
    return body;
  };

  it('requires an object that matches the schema of its profile', async () => {
    expect(await refused({ name: 'list', data: [] })).toEqual({
      data: ['JSON data must be in object form. Example: {"foo": 123}'],
    });
    const schema = { type: 'object', required: ['ntp'], properties: { ntp: { type: 'string' } } };
    const profile = await make('profile', 'extras/config-context-profiles', { name: 'Time', schema });
    for (const data of [{}, { ntp: 5 }]) {
      expect(await refused({ name: 'wrong', data, profile })).toEqual({
        __all__: [expect.stringMatching(/^Data does not conform to profile schema: ntp: /)],
      });
    }
    const id = await make('time', 'extras/config-contexts', { name: 'Time', data: { ntp: 'x' }, profile });
    const { status } = await test.api.patch(`/api/extras/config-contexts/${id}/`, { json: { data: {} } });
    expect(status).toBe(400);
    const protectedBy = await test.api.delete<Json>(`/api/extras/config-context-profiles/${profile}/`);
    expect(protectedBy.status).toBe(409);
    await test.api.delete(`/api/extras/config-contexts/${id}/`);
  });

  it('requires existing tags and a valid schema', async () => {
    expect(await refused({ name: 'x', data: {}, tags: ['nope'] })).toEqual({
      tags: ['Object with slug=nope does not exist.'],
    });
    expect(await refused({ name: 'x', data: {}, tags: [5] })).toEqual({ tags: ['Invalid value.'] });
    const { status, body } = await test.api.post('/api/extras/config-context-profiles/', {
      json: { name: 'bad', schema: 'none' },
    });
    expect([status, body]).toEqual([400, { schema: ['Invalid JSON schema definition'] }]);
  });
});
