import { selectCases } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ComparedServices } from './support/compared-services.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { runInOpenTransaction, untilWaiting } from './support/hold-row-locks.js';

type Json = Record<string, unknown>;
const seeds = selectCases([1, 2], (seed) => seed === 1);
/** Two services with the same data: one writes in memory, the other through temporary tables. */
let inMemory: TestInventory;
let staged: TestInventory;
let services: ComparedServices;

beforeAll(async () => {
  [inMemory, staged] = await Promise.all([
    startInventory({ CREATION_IN_MEMORY_MAX: '10000', DELETION_IN_MEMORY_MAX: '10000', UPDATE_IN_MEMORY_MAX: '10000' }),
    startInventory({
      CREATION_IN_MEMORY_MAX: '1',
      DELETION_IN_MEMORY_MAX: '1',
      DELETION_OBJECTS_MAX: '60',
      UPDATE_IN_MEMORY_MAX: '1',
      UPDATE_TEXT_BYTES_MAX: '115000',
      RESPONSE_IN_MEMORY_BYTES: '20000',
    }),
  ]);
  services = new ComparedServices(inMemory, staged);
});
afterAll(() => Promise.all([inMemory.close(), staged.close()]));

/** Returns a generator of numbers from 0 to below 1 (mulberry32). The same seed gives the same numbers. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Creates random objects that refer to one another in both services. Stores the ids of the objects, by API path. */
class Graph {
  readonly ids = new Map<string, number[]>();

  constructor(private readonly random: () => number) {}

  upTo(count: number): number {
    return Math.floor(this.random() * count);
  }

  some(path: string): number {
    const ids = this.ids.get(path) ?? [];
    return ids[this.upTo(ids.length)] ?? 0;
  }

  maybe(path: string): number | null {
    return this.random() < 0.5 ? this.some(path) : null;
  }

  /** Creates the same objects in both services. Both services assign the same ids. */
  async make(path: string, count: number, body: (n: number) => Json): Promise<void> {
    const bodies = Array.from({ length: count }, (_, n) => body(n));
    const [one, other] = await Promise.all(
      [inMemory, staged].map(({ api }) => api.post<{ id: number }[]>(`/api/${path}/`, { json: bodies })),
    );
    expect([path, one?.status, one?.body.map(({ id }) => id)]).toEqual([path, 201, other?.body.map(({ id }) => id)]);
    this.ids.set(path, [...(this.ids.get(path) ?? []), ...(one?.body ?? []).map(({ id }) => id)]);
  }
}

const named = (prefix: string) => (n: number) => ({ name: `${prefix} ${n}`, slug: `${prefix}-${n}` });

async function makeGraph(graph: Graph, seed: number): Promise<void> {
  const prefix = (kind: string): string => `${kind}-${seed}`;
  const tags = (): Json => ({ tags: graph.upTo(2) === 0 ? [graph.some('extras/tags')] : [] });
  await graph.make('extras/tags', 3, named(prefix('tag')));
  for (const path of ['dcim/regions', 'tenancy/tenant-groups', 'dcim/device-roles', 'dcim/platforms']) {
    for (const level of [1, 2, 3]) {
      const parent = level === 1 ? () => ({}) : () => ({ parent: graph.some(path) });
      await graph.make(path, 2, (n) => ({ ...named(prefix(`${path.replace('/', '-')}-${level}`))(n), ...parent() }));
    }
  }
  await graph.make('tenancy/tenants', 4, (n) => ({
    ...named(prefix('tenant'))(n),
    group: graph.maybe('tenancy/tenant-groups'),
  }));
  await graph.make('dcim/manufacturers', 1, named(prefix('maker')));
  await graph.make('dcim/device-types', 2, (n) => ({
    model: `box ${n}`,
    slug: `${prefix('box')}-${n}`,
    manufacturer: graph.some('dcim/manufacturers'),
  }));
  await graph.make('dcim/sites', 3, (n) => ({
    ...named(prefix('site'))(n),
    region: graph.maybe('dcim/regions'),
    tenant: graph.maybe('tenancy/tenants'),
    ...tags(),
  }));
  await graph.make('dcim/locations', 3, (n) => ({ ...named(prefix('place'))(n), site: graph.some('dcim/sites') }));
  await graph.make('dcim/devices', 8, (n) => ({
    name: `${prefix('device')}-${n}`,
    device_type: graph.some('dcim/device-types'),
    role: graph.some('dcim/device-roles'),
    site: graph.some('dcim/sites'),
    platform: graph.maybe('dcim/platforms'),
    tenant: graph.maybe('tenancy/tenants'),
    ...tags(),
  }));
  await graph.make('dcim/interfaces', 24, (n) => ({
    device: graph.ids.get('dcim/devices')?.[n % 8],
    name: `port ${n}`,
    type: n < 8 ? 'lag' : '1000base-t',
    ...tags(),
  }));
  await graph.make('dcim/inventory-items', 8, (n) => ({
    device: graph.ids.get('dcim/devices')?.[n % 8],
    name: `item ${n}`,
  }));
  await graph.make('dcim/inventory-items', 8, (n) => ({
    device: graph.ids.get('dcim/devices')?.[n % 8],
    name: `part ${n}`,
    parent: graph.ids.get('dcim/inventory-items')?.[n % 8],
  }));
  await graph.make('ipam/vrfs', 2, (n) => ({ name: `${prefix('vrf')}-${n}`, tenant: graph.maybe('tenancy/tenants') }));
  await graph.make('ipam/prefixes', 6, (n) => ({
    prefix: `10.${seed}.${n}.0/24`,
    vrf: graph.maybe('ipam/vrfs'),
    scope_type: n % 2 === 0 ? 'dcim.site' : null,
    scope_id: n % 2 === 0 ? graph.some('dcim/sites') : null,
  }));
  await graph.make('ipam/ip-addresses', 10, (n) => ({
    address: `10.${seed}.9.${n + 1}/24`,
    assigned_object_type: 'dcim.interface',
    assigned_object_id: graph.some('dcim/interfaces'),
    ...tags(),
  }));
  await graph.make('tenancy/contact-roles', 1, named(prefix('contact-role')));
  await graph.make('tenancy/contacts', 2, (n) => ({ name: `${prefix('contact')}-${n}` }));
  await graph.make('tenancy/contact-assignments', 3, (n) => ({
    object_type: 'dcim.site',
    object_id: graph.ids.get('dcim/sites')?.[n],
    contact: graph.some('tenancy/contacts'),
    role: graph.some('tenancy/contact-roles'),
  }));
  await graph.make('extras/journal-entries', 6, () => ({
    assigned_object_type: 'dcim.interface',
    assigned_object_id: graph.some('dcim/interfaces'),
    comments: 'Seen',
  }));
  const free = (graph.ids.get('dcim/interfaces') ?? []).slice(8);
  await graph.make('dcim/cables', 6, (n) => ({
    a_terminations: [{ object_type: 'dcim.interface', object_id: free[2 * n] }],
    b_terminations: [{ object_type: 'dcim.interface', object_id: free[2 * n + 1] }],
  }));
  await graph.make('extras/subscriptions', 4, (n) => ({
    object_type: 'dcim.device',
    object_id: graph.ids.get('dcim/devices')?.[n],
    user: inMemory.adminId,
  }));
  const changes = (graph.ids.get('dcim/interfaces') ?? []).map((id, n) => {
    const lag = n >= 8 ? graph.ids.get('dcim/interfaces')?.[n % 8] : undefined;
    return { id, ...(lag === undefined ? {} : { lag }) };
  });
  await Promise.all([inMemory, staged].map(({ api }) => api.patch('/api/dcim/interfaces/', { json: changes })));
  const designate = `UPDATE dcim_device d SET primary_ip4_id = a.id FROM (
      SELECT i.device_id, min(a.id) AS id FROM ipam_ipaddress a JOIN dcim_interface i
        ON i.id = a.assigned_object_id AND a.assigned_object_type = 'dcim.interface' GROUP BY 1) a
    WHERE a.device_id = d.id`;
  await Promise.all([inMemory, staged].map(({ inventory }) => inventory.database.query(designate)));
}

const deletable = [
  ['dcim/devices', 3],
  ['dcim/interfaces', 4],
  ['dcim/cables', 1],
  ['dcim/sites', 1],
  ['dcim/regions', 2],
  ['dcim/platforms', 2],
  ['dcim/device-roles', 1],
  ['dcim/locations', 1],
  ['dcim/inventory-items', 2],
  ['tenancy/tenants', 2],
  ['tenancy/tenant-groups', 2],
  ['tenancy/contacts', 1],
  ['ipam/ip-addresses', 2],
  ['ipam/prefixes', 2],
  ['ipam/vrfs', 1],
  ['dcim/device-types', 1],
  ['extras/tags', 1],
] as const;

/** Sends the same deletions to both services. Expects that the responses are equal, and returns their HTTP statuses. */
async function deleteAtRandom(graph: Graph, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const [path, most] = deletable[graph.upTo(deletable.length)] ?? deletable[0];
    const ids = new Set(Array.from({ length: 1 + graph.upTo(most) }, () => graph.some(path)));
    const items = [...ids].map((id) => ({ id, ...(n % 3 === 0 ? { changelog_message: `gone ${n}` } : {}) }));
    const [one, other] = await Promise.all(
      [inMemory, staged].map(({ api }) => api.delete<Json>(`/api/${path}/`, { json: items })),
    );
    expect([path, items, other?.status, other?.body]).toEqual([path, items, one?.status, one?.body]);
    statuses.push(one?.status ?? 0);
  }
  return statuses;
}

describe('POST /api/<app>/<model>/ above CREATION_IN_MEMORY_MAX', () => {
  it('creates the same rows and returns the same response as a creation in memory', async () => {
    const graph = new Graph(randomOf(7));
    const since = await services.beginComparison();
    const types = ['dcim.site', 'tenancy.tenant'];
    await graph.make('extras/custom-fields', 1, () => ({
      name: 'grade',
      type: 'text',
      object_types: types,
      default: 'A',
    }));
    await graph.make('extras/tags', 2, named('new-tag'));
    await graph.make('dcim/manufacturers', 1, named('new-maker'));
    const manufacturer = graph.some('dcim/manufacturers');
    await graph.make('dcim/device-types', 1, () => ({ model: 'new', slug: 'new', manufacturer }));
    await graph.make('dcim/device-roles', 1, named('new-role'));
    await graph.make('dcim/sites', 1, named('new-site'));
    const site = graph.some('dcim/sites');
    await graph.make('dcim/devices', 3, (n) => ({
      name: `new ${n}`,
      device_type: graph.some('dcim/device-types'),
      role: graph.some('dcim/device-roles'),
      site,
      // The objects have tags. Without tags, the statement that inserts them also reads the response, and does not see
      // the other objects.
      tags: graph.ids.get('extras/tags'),
    }));
    const webhooks = [0, 1].map((n) => ({
      name: `new ${n}`,
      payload_url: 'https://example.com/',
      secret: `secret ${n}`,
    }));
    const prefixes = ['10.77.0.0/16', '10.77.1.0/24', '10.77.1.0/25'].map((prefix) => ({ prefix }));
    const sites = [0, 1, 2].map((n) => ({ ...named('fresh')(n), changelog_message: n === 1 ? 'why' : undefined }));
    const lists: [path: string, items: Json[]][] = [
      ['dcim/sites', sites],
      ['dcim/interfaces', graph.ids.get('dcim/devices')?.map((device) => ({ device, name: 'new', type: 'lag' })) ?? []],
      ['extras/webhooks', webhooks],
      ['ipam/prefixes', prefixes],
      // These objects are rejected while the body is read, by a rule, by a constraint, and by a foreign key.
      ['tenancy/tenants', [...Array(3).keys()].map((n) => ({ ...named('bad')(n), group: n === 2 ? 99_999 : null }))],
      ['dcim/locations', [0, 1].map((n) => ({ ...named('bad')(n), site, status: n === 1 ? 'none' : 'active' }))],
      ['dcim/sites', ['a', 'b', 'a'].map((slug, n) => ({ name: `twice ${n}`, slug }))],
      ['dcim/devices', [0, 1].map((n) => ({ name: `bad ${n}`, site, device_type: graph.some('dcim/device-types') }))],
    ];
    const statuses: number[] = [];
    for (const [path, items] of lists) statuses.push(await services.writeInBoth('post', path, items));
    expect(statuses).toEqual([201, 201, 201, 201, 400, 400, 400, 400]);
    await services.expectEqualStates(since);
  });
});

describe('PATCH and PUT /api/<app>/<model>/ above UPDATE_IN_MEMORY_MAX', () => {
  it('return the new state of related objects that change in the same request', async () => {
    const graph = new Graph(randomOf(5));
    await graph.make('ipam/ip-addresses', 1, () => ({ address: '192.0.2.1/24' }));
    const [inside = 0] = graph.ids.get('ipam/ip-addresses') ?? [];
    await graph.make('ipam/ip-addresses', 1, () => ({ address: '192.0.2.2/24', nat_inside: inside }));
    const [, outside = 0] = graph.ids.get('ipam/ip-addresses') ?? [];
    const since = await services.beginComparison();
    const items = [
      { id: inside, address: '192.0.2.3/24' },
      { id: outside, dns_name: 'outside.example.com' },
    ];
    expect(await services.writeInBoth('patch', 'ipam/ip-addresses', items)).toBe(200);
    await services.expectEqualStates(since);
  });

  it('change the same rows and return the same response as an update in memory', async () => {
    const graph = new Graph(randomOf(3));
    const since = await services.beginComparison();
    await makeGraph(graph, 3);
    const idsOf = (path: string): number[] => graph.ids.get(path) ?? [];
    const [host = 0, ...devices] = idsOf('dcim/devices');
    const tag = graph.some('extras/tags');
    await graph.make('extras/custom-fields', 1, () => ({
      name: 'rating',
      type: 'integer',
      object_types: ['dcim.device'],
      default: 3,
    }));
    await graph.make('dcim/device-types', 2, (n) => ({
      model: `${n === 0 ? 'parent' : 'child'}`,
      slug: `${n === 0 ? 'parent' : 'child'}`,
      manufacturer: graph.some('dcim/manufacturers'),
      subdevice_role: n === 0 ? 'parent' : 'child',
      u_height: n === 0 ? 1 : 0,
    }));
    const [parentType, childType] = idsOf('dcim/device-types').slice(-2);
    const [site, otherSite] = idsOf('dcim/sites');
    const own = { role: graph.some('dcim/device-roles'), site };
    await graph.make('dcim/devices', 2, (n) => ({
      name: `nest ${n}`,
      ...own,
      tags: [tag],
      device_type: [parentType, childType][n],
    }));
    const [outer = 0, inner = 0] = idsOf('dcim/devices').slice(-2);
    await graph.make('dcim/device-bays', 1, () => ({ device: outer, name: 'bay', installed_device: inner }));
    await graph.make('extras/webhooks', 2, (n) => ({
      name: `hook ${n}`,
      payload_url: 'https://example.com/',
      secret: `secret ${n}`,
    }));
    const all = (path: string, change: (n: number) => Json): Json[] =>
      idsOf(path).map((id, n) => ({ id, ...change(n) }));
    const requests: [path: string, items: Json[]][] = [
      [
        'dcim/devices',
        all('dcim/devices', (n) => ({ comments: `changed ${n}`, changelog_message: n % 2 ? 'why' : '' })),
      ],
      // The device in a bay moves with this device.
      ['dcim/devices', [host, outer].map((id) => ({ id, site: otherSite, location: null, rack: null }))],
      ['dcim/devices', devices.map((id, n) => ({ id, custom_fields: { rating: n }, platform: null, tags: [tag] }))],
      ['dcim/devices', devices.map((id) => ({ id, add_tags: idsOf('extras/tags').map((each) => ({ id: each })) }))],
      // The second device is unchanged.
      ['dcim/devices', devices.slice(0, 2).map((id, n) => (n === 0 ? { id, remove_tags: [tag] } : { id }))],
      [
        'dcim/sites',
        [...all('dcim/sites', (n) => ({ region: graph.some('dcim/regions'), facility: `${n}` })), { id: 99_999 }],
      ],
      ['dcim/regions', all('dcim/regions', (n) => ({ description: `deep ${n}` }))],
      ['ipam/prefixes', all('ipam/prefixes', (n) => ({ vrf: null, status: n % 2 ? 'reserved' : 'container' }))],
      ['ipam/ip-addresses', all('ipam/ip-addresses', (n) => ({ dns_name: `host-${n}.example.com` }))],
      ['dcim/cables', all('dcim/cables', (n) => ({ label: `cable ${n}` }))],
      ['tenancy/tenants', all('tenancy/tenants', () => ({ group: graph.some('tenancy/tenant-groups') }))],
      ['extras/webhooks', all('extras/webhooks', (n) => ({ secret: `changed ${n}` }))],
      ['dcim/interfaces', all('dcim/interfaces', (n) => ({ mtu: 1500 + n, enabled: n % 3 > 0 }))],
      // These objects are rejected while the body is read, by a rule, by a constraint, and by a foreign key.
      ['dcim/devices', all('dcim/devices', (n) => ({ status: n === 3 ? 'none' : 'active' }))],
      ['dcim/devices', all('dcim/devices', (n) => ({ position: n === 2 ? 4 : null }))],
      ['dcim/sites', all('dcim/sites', () => ({ name: 'the same' }))],
      ['dcim/devices', all('dcim/devices', (n) => ({ tenant: n === 1 ? 99_999 : null }))],
    ];
    const statuses: number[] = [];
    for (const [path, items] of requests) statuses.push(await services.writeInBoth('patch', path, items));
    const sites = all('dcim/sites', (n) => ({ name: `put ${n}`, slug: `put-${n}` }));
    statuses.push(await services.writeInBoth('put', 'dcim/sites', sites));
    expect(statuses).toEqual([...Array.from({ length: 13 }, () => 200), 400, 400, 400, 400, 200]);
    await services.expectEqualStates(since);
  });
});

describe('DELETE /api/<app>/<model>/ above DELETION_IN_MEMORY_MAX', () => {
  it.each(seeds)('leaves the same rows, change records and events as a deletion in memory (seed %i)', async (seed) => {
    const graph = new Graph(randomOf(seed));
    await makeGraph(graph, seed);
    const since = await services.beginComparison();
    const statuses = await deleteAtRandom(graph, 20);
    expect(new Set(statuses)).toEqual(new Set([204, 409]));
    await services.expectEqualStates(since);
  });

  it('responds 400 above DELETION_OBJECTS_MAX deleted or changed objects, and writes nothing', async () => {
    const graph = new Graph(randomOf(0));
    await graph.make('dcim/manufacturers', 1, named('many-maker'));
    const manufacturer = graph.some('dcim/manufacturers');
    await graph.make('dcim/device-types', 1, () => ({ model: 'many', slug: 'many', manufacturer }));
    await graph.make('dcim/device-roles', 1, named('many-role'));
    await graph.make('dcim/sites', 1, named('many-site'));
    await graph.make('dcim/platforms', 1, named('many-platform'));
    await graph.make('dcim/devices', 60, (n) => ({
      name: `many ${n}`,
      device_type: graph.some('dcim/device-types'),
      role: graph.some('dcim/device-roles'),
      site: graph.some('dcim/sites'),
      platform: graph.some('dcim/platforms'),
    }));
    const platform = `/api/dcim/platforms/${graph.some('dcim/platforms')}/`;
    const { database } = staged.inventory;
    const changes = async (): Promise<unknown> =>
      (await database.query("SELECT count(*) FROM core_objectchange WHERE action <> 'create'")).rows;
    const before = await changes();
    expect((await staged.api.delete(platform)).body).toEqual({
      detail:
        'Deleting these objects would delete or change 61 objects in total, and one request may delete or change at most 60. Delete fewer objects at a time, or first objects that refer to them.',
    });
    expect(await changes()).toEqual(before);
    expect((await staged.api.delete('/api/dcim/devices/', { json: [{ id: graph.some('dcim/devices') }] })).status).toBe(
      204,
    );
    expect((await staged.api.delete(platform)).status).toBe(204);
  });
});

// These tests follow those that compare the data of both services.
describe('PATCH /api/<app>/<model>/ by temporary tables', () => {
  it('skips objects outside the permission of the user, and responds 403 when a changed object would violate it', async () => {
    const graph = new Graph(randomOf(0));
    await graph.make('tenancy/contacts', 4, (n) => ({ name: `contact ${n}`, title: n < 3 ? 'seen' : '' }));
    const ids = graph.ids.get('tenancy/contacts') ?? [];
    const users = await staged.inventory.database.query<{ id: number }>(
      "INSERT INTO users_user (username, password) VALUES ('editor', '') RETURNING id",
    );
    const editor = users.rows[0]?.id ?? 0;
    const client = await staged.clientOf(editor);
    const permission = await staged.api.post('/api/users/permissions/', {
      json: {
        name: 'seen contacts',
        object_types: ['tenancy.contact'],
        actions: ['change'],
        users: [editor],
        constraints: { title: 'seen' },
      },
    });
    expect(permission.status).toBe(201);
    const change = (title: string) =>
      client.patch<Json[]>('/api/tenancy/contacts/', { json: ids.map((id) => ({ id, phone: '1', title })) });
    expect((await change('unseen')).status).toBe(403);
    const { status, body } = await change('seen');
    expect([status, body.map(({ id }) => id)]).toEqual([200, ids.slice(0, 3)]);
    const list = await staged.api.get<{ results: Json[] }>(
      `/api/tenancy/contacts/?${ids.map((id) => `id=${id}`).join('&')}`,
    );
    expect(list.body.results.map(({ phone }) => phone)).toEqual(['1', '1', '1', '']);
  });

  it('deletes the temporary file after the response, which is JSON even for a browser', async () => {
    const graph = new Graph(randomOf(0));
    await graph.make('tenancy/contacts', 9, (n) => ({ name: `much ${n}`, comments: 'long '.repeat(1000) }));
    const json = (graph.ids.get('tenancy/contacts') ?? []).map((id) => ({ id, title: 'changed' }));
    const { headers, body } = await staged.api.patch<Json[]>('/api/tenancy/contacts/', {
      json,
      headers: { accept: 'text/html' },
    });
    expect([headers['content-type'], body.length]).toEqual(['application/json; charset=utf-8', 9]);
    await expect.poll(() => staged.inventory.responses.storedBytes).toBe(0);
  });

  it('allows ten minutes for each SQL statement that updates or deletes rows, and the usual limit for its lock waits', async () => {
    const [{ database }, graph] = [staged.inventory, new Graph(randomOf(0))];
    await graph.make('tenancy/contacts', 2, (n) => ({ name: `slow ${n}` }));
    await database.query(`
      CREATE TABLE observed_timeouts (setting text);
      CREATE FUNCTION observe_timeout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO observed_timeouts VALUES (current_setting('statement_timeout') || ' ' || current_setting('lock_timeout'));
        RETURN NULL; END $$;
      CREATE TRIGGER observed AFTER UPDATE OR DELETE ON tenancy_contact EXECUTE FUNCTION observe_timeout()`);
    try {
      const json = (graph.ids.get('tenancy/contacts') ?? []).map((id) => ({ id, title: 'changed' }));
      for (const method of ['patch', 'delete'] as const) await staged.api[method]('/api/tenancy/contacts/', { json });
      const { rows } = await database.query('SELECT setting FROM observed_timeouts');
      expect(rows).toEqual(Array(2).fill({ setting: '10min 30s' }));
    } finally {
      await database.query('DROP FUNCTION observe_timeout CASCADE; DROP TABLE observed_timeouts');
    }
  });

  it('responds 400 and changes nothing above UPDATE_TEXT_BYTES_MAX', async () => {
    const graph = new Graph(randomOf(0));
    await graph.make('tenancy/contacts', 12, (n) => ({ name: `long ${n}`, comments: 'x'.repeat(10_000) }));
    const json = (graph.ids.get('tenancy/contacts') ?? []).map((id) => ({ id, title: 'changed' }));
    const { status, body } = await staged.api.patch('/api/tenancy/contacts/', { json });
    expect([status, body]).toEqual([
      400,
      {
        non_field_errors: [
          expect.stringMatching(/^Change objects with at most 115000 bytes of text .*these have 120\d{3}\)/),
        ],
      },
    ]);
    expect((await staged.api.patch('/api/tenancy/contacts/', { json: json.slice(0, 11) })).status).toBe(200);
    const { body: list } = await staged.api.get<{ results: Json[] }>('/api/tenancy/contacts/?name__isw=long');
    expect(list.results.map(({ title }) => title)).toEqual([...Array.from({ length: 11 }, () => 'changed'), '']);
  });
});

describe('PATCH /api/<app>/<model>/', () => {
  it('responds 400 when the texts exceed UPDATE_TEXT_BYTES_MAX only after the request has locked the objects', async () => {
    const { api, inventory } = staged;
    const graph = new Graph(randomOf(0));
    await graph.make('tenancy/contacts', 12, (n) => ({ name: `growing ${n}`, comments: 'x' }));
    const ids = graph.ids.get('tenancy/contacts') ?? [];
    const growth = await runInOpenTransaction(inventory.database, (tx) =>
      tx.query(`UPDATE tenancy_contact SET comments = repeat('x', 120000) WHERE id = $1`, [ids[11]]),
    );
    const change = api.patch('/api/tenancy/contacts/', { json: ids.map((id) => ({ id, title: 'changed' })) });
    await untilWaiting(inventory.database, 1);
    await growth.release();
    const { status, body } = await change;
    expect([status, body]).toEqual([400, { non_field_errors: [expect.stringMatching(/these have 120\d{3}\)/)] }]);
  });
});

describe('DELETE /api/<app>/<model>/ below DELETION_IN_MEMORY_MAX', () => {
  const watched = `
    CREATE TABLE observed_deletions (by_tables boolean);
    CREATE FUNCTION observe_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO observed_deletions VALUES (to_regclass('pg_temp.deletion_doomed') IS NOT NULL); RETURN NULL; END $$;
    CREATE TRIGGER observed AFTER DELETE ON tenancy_contact EXECUTE FUNCTION observe_deletion()`;

  it('uses temporary tables when the texts of all objects exceed 8 MiB', async () => {
    const { api, inventory } = inMemory;
    const { database } = inventory;
    const make = async (length: number, column = `comments = repeat('x', $1)`): Promise<{ id: number }[]> => {
      const json = Array.from({ length: 5 }, (_, n) => ({ name: `doomed ${column} ${length} ${n}` }));
      const { body } = await api.post<{ id: number }[]>('/api/tenancy/contacts/', { json });
      const ids = body.map(({ id }) => id);
      await database.query(`UPDATE tenancy_contact SET ${column} WHERE id = ANY ($2)`, [length, ids]);
      return body.map(({ id }) => ({ id }));
    };
    const [short, long] = [await make(1_000), await make(1_700_000)];
    // PostgreSQL stores this value compressed, in a small part of its length.
    const json = await make(1_700_000, `custom_field_data = jsonb_build_object('x', repeat('x', $1))`);
    await database.query(watched);
    try {
      for (const contacts of [short, long, json]) {
        expect((await api.delete('/api/tenancy/contacts/', { json: contacts })).status).toBe(204);
      }
      const { rows } = await database.query<{ by_tables: boolean }>('SELECT by_tables FROM observed_deletions');
      expect(rows.map(({ by_tables: byTables }) => byTables)).toEqual([false, true, true]);
    } finally {
      await database.query('DROP FUNCTION observe_deletion CASCADE; DROP TABLE observed_deletions');
    }
  });
});

describe('POST /api/<app>/<model>/ by temporary tables', () => {
  it('responds 403 and creates nothing when an object would violate the constraints of the permission', async () => {
    const users = await staged.inventory.database.query<{ id: number }>(
      "INSERT INTO users_user (username, password) VALUES ('author', '') RETURNING id",
    );
    const author = users.rows[0]?.id ?? 0;
    const client = await staged.clientOf(author);
    const permission = { name: 'new contacts', object_types: ['tenancy.contact'], actions: ['add', 'view'] };
    const constrained = { ...permission, users: [author], constraints: { title: 'own' } };
    expect((await staged.api.post('/api/users/permissions/', { json: constrained })).status).toBe(201);
    const create = (titles: string[]) =>
      client.post<Json[]>('/api/tenancy/contacts/', { json: titles.map((title, n) => ({ name: `mine ${n}`, title })) });
    expect((await create(['own', 'other'])).status).toBe(403);
    expect((await client.get<{ count: number }>('/api/tenancy/contacts/')).body.count).toBe(0);
    expect((await create(['own', 'own'])).body.map(({ name }) => name)).toEqual(['mine 0', 'mine 1']);
  });
});
