import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registry } from '../src/models/index.js';
import { startInventory, type TestInventory } from './support/harness.js';

type Json = Record<string, unknown>;

/** The same data twice: one service deletes in memory, the other by temporary tables. */
let inMemory: TestInventory;
let staged: TestInventory;

beforeAll(async () => {
  [inMemory, staged] = await Promise.all([
    startInventory({ DELETION_IN_MEMORY_MAX: '10000' }),
    startInventory({ DELETION_IN_MEMORY_MAX: '1', DELETION_OBJECTS_MAX: '60' }),
  ]);
});
afterAll(() => Promise.all([inMemory.close(), staged.close()]));

/** Numbers from 0 to below 1 that follow from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random graph of objects, with the ids of each path. */
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

  /** Creates objects in both services, which number them alike. */
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

const changed = `SELECT action, changed_object_type, changed_object_id, related_object_type, related_object_id, object_repr, message,
    prechange_data - 'last_updated' - 'created' AS prechange, postchange_data - 'last_updated' - 'created' AS postchange,
    dense_rank() OVER (ORDER BY first) AS request
  FROM (SELECT *, min(id) OVER (PARTITION BY request_id) AS first FROM core_objectchange WHERE id > $1) c ORDER BY id`;
const events = `SELECT key, (payload::jsonb - 'timestamp' - 'requestId' - 'request') #- '{data,created}' #- '{data,last_updated}'
    #- '{snapshots,prechange,created}' #- '{snapshots,postchange,created}' AS payload FROM queue.outbox ORDER BY id`;
const notifications = 'SELECT object_type, object_id, event_type, object_repr FROM extras_notification ORDER BY 1, 2';

async function stateOf({ inventory: { database } }: TestInventory, since: number): Promise<Json> {
  const state: Json = {
    changes: (await database.query(changed, [since])).rows,
    events: (await database.query(events)).rows,
    notifications: (await database.query(notifications)).rows,
    tags: (await database.query('SELECT object_type, object_id, tag_id FROM extras_taggeditem ORDER BY 1, 2, 3')).rows,
  };
  const unlike = new Set(['core.objectchange', 'users.token', 'users.user', 'extras.notification', 'core.objecttype']);
  for (const { type, table } of registry.models.filter((model) => !unlike.has(model.type))) {
    const rows = await database.query(
      `SELECT to_jsonb(t) - 'last_updated' - 'created' AS row FROM ${table} t ORDER BY to_jsonb(t) ->> 'id'`,
    );
    state[type] = rows.rows;
  }
  return state;
}

/** Sends the same deletions to both services, expects equal responses, and returns their statuses. */
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

describe('DELETE /api/<app>/<model>/ above DELETION_IN_MEMORY_MAX', () => {
  it.each([1, 2])('leaves the rows, change records and events of a deletion in memory (seed %i)', async (seed) => {
    const graph = new Graph(randomOf(seed));
    await makeGraph(graph, seed);
    const since = await Promise.all(
      [inMemory, staged].map(async ({ inventory: { database } }) => {
        await database.query('DELETE FROM queue.outbox');
        const { rows } = await database.query<{ n: number }>('SELECT max(id) AS n FROM core_objectchange');
        return rows[0]?.n ?? 0;
      }),
    );
    const statuses = await deleteAtRandom(graph, 20);
    expect(new Set(statuses)).toEqual(new Set([204, 409]));
    const [one, other] = await Promise.all([stateOf(inMemory, since[0] ?? 0), stateOf(staged, since[1] ?? 0)]);
    expect(other).toEqual(one);
    expect(one['changes']).not.toEqual([]);
  });

  it('refuses with 400 what deletes or changes more than DELETION_OBJECTS_MAX, and writes nothing', async () => {
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
        'Deleting these objects would delete or change 61 objects in total, and one request may delete or change at most 60. Delete fewer objects at a time.',
    });
    expect(await changes()).toEqual(before);
    expect((await staged.api.delete('/api/dcim/devices/', { json: [{ id: graph.some('dcim/devices') }] })).status).toBe(
      204,
    );
    expect((await staged.api.delete(platform)).status).toBe(204);
  });
});
