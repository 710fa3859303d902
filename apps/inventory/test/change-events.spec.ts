import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InventoryChange } from '../src/changes/inventory-change-message.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

/** Returns the types of all values of a change, by key and at any depth. The items of lists are omitted. */
function shapeOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return Array.isArray(value) ? 'list' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, shapeOf(inner)] as const)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

describe('change events of a request', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  /** Returns the messages in the outbox (the table of events to publish), and deletes them. */
  const taken = async (): Promise<InventoryChange[]> => {
    const { rows } = await test.inventory.database.query<{ payload: InventoryChange }>(
      'WITH gone AS (DELETE FROM queue.outbox RETURNING id, payload) SELECT payload FROM gone ORDER BY id',
    );
    return rows.map(({ payload }) => payload);
  };

  it('contain the object with both states, the user and the request id', async () => {
    const made = await test.api.post<Json>('/api/ipam/prefixes/', {
      json: { prefix: '203.0.113.0/24', description: 'x' },
    });
    const [created] = await taken();
    const requestId = made.headers['x-request-id'];
    expect(created).toMatchObject({
      model: 'ipam.prefix',
      id: made.body['id'],
      event: 'created',
      requestId,
      username: 'root',
      request: { id: requestId, method: 'POST', path: '/api/ipam/prefixes/', user: 'root' },
      snapshots: { prechange: null, postchange: { prefix: '203.0.113.0/24', vrf: null, status: 'active', tags: [] } },
    });
    expect(created?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    expect(created?.data).toEqual({
      ...made.body,
      url: `/api/ipam/prefixes/${String(made.body['id'])}/`,
      display_url: `/ipam/prefixes/${String(made.body['id'])}/`,
    });
    expect(created?.snapshots.postchange?.['created']).toMatch(/\.\d{3}Z$/);
    expect(created?.snapshots.postchange).not.toHaveProperty('last_updated');

    await test.api.patch(`/api/ipam/prefixes/${String(made.body['id'])}/`, { json: { status: 'reserved' } });
    const [updated] = await taken();
    expect(updated).toMatchObject({
      event: 'updated',
      data: { status: { value: 'reserved', label: 'Reserved' } },
      snapshots: { prechange: { status: 'active' }, postchange: { status: 'reserved' } },
    });

    await test.api.delete(`/api/ipam/prefixes/${String(made.body['id'])}/`);
    const [deleted] = await taken();
    expect(deleted).toMatchObject({
      event: 'deleted',
      data: { prefix: '203.0.113.0/24' },
      snapshots: { prechange: { status: 'reserved' }, postchange: null },
    });
  });

  it('omit the counts of referring objects for a new object', async () => {
    await test.api.post('/api/ipam/roles/', { json: { name: 'R', slug: 'r' } });
    const [created] = await taken();
    expect(Object.keys(created?.data ?? {})).not.toContain('prefix_count');
    expect(Object.keys(created?.data ?? {})).toContain('weight');
  });

  it('have the same content for an object with a tag, although a different SQL statement records the object', async () => {
    await test.api.post('/api/extras/tags/', { json: { name: 'Edge', slug: 'edge' } });
    await taken();
    await test.api.post('/api/ipam/roles/', { json: { name: 'Plain "role"', slug: 'one' } });
    await test.api.post('/api/ipam/roles/', {
      json: { name: 'Plain "role" 2', slug: 'two', tags: [{ slug: 'edge' }] },
    });
    const [plain, tagged] = await taken();
    expect(shapeOf(plain)).toEqual(shapeOf(tagged));
    expect(plain?.data['name']).toBe('Plain "role"');
  });

  it('do not exist if the request fails', async () => {
    const { status } = await test.api.post('/api/ipam/roles/', {
      json: [
        { name: 'S', slug: 's' },
        { name: 'R', slug: 'r' },
      ],
    });
    expect(status).toBe(400);
    expect(await taken()).toEqual([]);
  });

  it('describe each object of a bulk request, in order', async () => {
    const { body } = await test.api.post<Json[]>('/api/ipam/roles/', {
      json: ['a', 'b', 'c'].map((name) => ({ name, slug: name })),
    });
    expect((await taken()).map(({ id }) => id)).toEqual(body.map(({ id }) => id));
  });

  it('contain the tags that the same request assigns', async () => {
    await test.api.post('/api/extras/tags/', { json: { name: 'Alpha', slug: 'alpha' } });
    await taken();
    await test.api.post('/api/ipam/roles/', { json: { name: 'T', slug: 't', tags: [{ slug: 'alpha' }] } });
    const [created] = await taken();
    expect(created).toMatchObject({
      data: { tags: [{ slug: 'alpha' }] },
      snapshots: { postchange: { tags: ['Alpha'] } },
    });
  });

  it('contain no secrets', async () => {
    await test.api.post('/api/extras/webhooks/', {
      json: { name: 'H', payload_url: 'http://localhost/', secret: 'sesame' },
    });
    const messages = JSON.stringify(await taken());
    expect(messages).not.toContain('sesame');
    expect(messages).not.toContain('v1.');
    await test.api.post('/api/users/users/', { json: { username: 'u', password: 'Twelve chars 1' } });
    expect(await taken()).toEqual([]);
  });

  it('include objects deleted by cascade and objects whose references were set to null', async () => {
    const { body: parent } = await test.api.post<Json>('/api/dcim/regions/', { json: { name: 'P', slug: 'p' } });
    const { body: child } = await test.api.post<Json>('/api/dcim/regions/', {
      json: { name: 'C', slug: 'c', parent: parent['id'] },
    });
    const { body: site } = await test.api.post<Json>('/api/dcim/sites/', {
      json: { name: 'S', slug: 's', region: child['id'] },
    });
    const { body: scoped } = await test.api.post<Json>('/api/ipam/prefixes/', {
      json: { prefix: '198.51.100.0/24', scope_type: 'dcim.region', scope_id: child['id'] },
    });
    await taken();
    expect((await test.api.delete(`/api/dcim/regions/${String(parent['id'])}/`)).status).toBe(204);
    const events = (await taken()).map(({ model, id, event }) => `${model}:${id} ${event}`);
    expect(events).toEqual([
      `dcim.site:${String(site['id'])} updated`,
      `ipam.prefix:${String(scoped['id'])} deleted`,
      `dcim.region:${String(child['id'])} deleted`,
      `dcim.region:${String(parent['id'])} deleted`,
    ]);
    expect((await test.api.get<Json>(`/api/dcim/sites/${String(site['id'])}/`)).body['region']).toBeNull();
    expect((await test.api.get<{ count: number }>('/api/dcim/regions/')).body.count).toBe(0);
  });

  it('do not exist for a deletion that dependent objects prevent', async () => {
    const { body: tenant } = await test.api.post<Json>('/api/tenancy/tenants/', {
      json: { name: 'Acme', slug: 'acme' },
    });
    await test.api.post('/api/dcim/sites/', {
      json: [
        { name: 'd1', slug: 'd1', tenant: tenant['id'] },
        { name: 'd2', slug: 'd2', tenant: tenant['id'] },
      ],
    });
    await taken();
    const refused = await test.api.delete<{ detail: string }>(`/api/tenancy/tenants/${String(tenant['id'])}/`);
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toMatch(
      /^Unable to delete object\. 2 dependent objects were found: d1 \(\d+\), d2 \(\d+\)$/,
    );
    expect(await taken()).toEqual([]);
  });
});

describe('_depth and children of prefixes', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  const hierarchy = async (query = 'vrf_id=null'): Promise<string[]> => {
    const { body } = await test.api.get<{ results: Json[] }>(`/api/ipam/prefixes/?${query}`);
    return body.results.map((row) => `${String(row['prefix'])} ${String(row['_depth'])} ${String(row['children'])}`);
  };
  const idOf = async (prefix: string): Promise<string> =>
    String(
      (await test.api.get<{ results: Json[] }>('/api/ipam/prefixes/', { query: { prefix } })).body.results[0]?.['id'],
    );

  it('remain exact after random creations, moves and deletions', async () => {
    await test.api.post('/api/ipam/prefixes/', {
      json: ['10.0.1.0/24', '10.0.0.0/8', '10.0.0.0/16', '10.0.1.128/25'].map((prefix) => ({ prefix })),
    });
    expect(await hierarchy()).toEqual(['10.0.0.0/8 0 3', '10.0.0.0/16 1 2', '10.0.1.0/24 2 1', '10.0.1.128/25 3 0']);
    await test.api.patch(`/api/ipam/prefixes/${await idOf('10.0.0.0/16')}/`, { json: { prefix: '10.1.0.0/16' } });
    expect(await hierarchy()).toEqual(['10.0.0.0/8 0 3', '10.0.1.0/24 1 1', '10.0.1.128/25 2 0', '10.1.0.0/16 1 0']);
    await test.api.delete(`/api/ipam/prefixes/${await idOf('10.0.1.0/24')}/`);
    expect(await hierarchy()).toEqual(['10.0.0.0/8 0 2', '10.0.1.128/25 1 0', '10.1.0.0/16 1 0']);
    const { body: vrf } = await test.api.post<Json>('/api/ipam/vrfs/', {
      json: { name: 'Red', enforce_unique: false },
    });
    await test.api.patch(`/api/ipam/prefixes/${await idOf('10.0.1.128/25')}/`, { json: { vrf: vrf['id'] } });
    expect(await hierarchy()).toEqual(['10.0.0.0/8 0 1', '10.1.0.0/16 1 0']);
    expect(await hierarchy(`vrf_id=${String(vrf['id'])}`)).toEqual(['10.0.1.128/25 0 0']);
  });

  it('remain exact when parents and children are created concurrently', async () => {
    const prefixes = [
      '172.16.0.0/12',
      '172.16.0.0/16',
      '172.16.1.0/24',
      '172.16.2.0/24',
      '172.16.1.0/28',
      '172.16.1.16/28',
    ];
    await Promise.all(prefixes.map((prefix) => test.api.post('/api/ipam/prefixes/', { json: { prefix } })));
    expect(await hierarchy('within_include=172.16.0.0/12')).toEqual([
      '172.16.0.0/12 0 5',
      '172.16.0.0/16 1 4',
      '172.16.1.0/24 2 2',
      '172.16.1.0/28 3 0',
      '172.16.1.16/28 3 0',
      '172.16.2.0/24 2 0',
    ]);
  });

  it('do not change when a duplicate prefix is rejected with an error that names the existing prefix', async () => {
    const { body: vrf } = await test.api.post<Json>('/api/ipam/vrfs/', { json: { name: 'Strict', rd: '65000:9' } });
    const post = (path: string, json: Json): Promise<{ status: number; body: unknown }> =>
      test.api.post(path, { json });
    const { body: loose } = await test.api.post<Json>('/api/ipam/vrfs/', {
      json: { name: 'Loose', enforce_unique: false },
    });
    for (const [prefix, address] of [['192.0.2.0/24', '192.0.2.1/24']]) {
      for (const { vrf: space, where } of [
        { vrf: null, where: 'global table' },
        { vrf: vrf['id'], where: 'VRF Strict (65000:9)' },
      ]) {
        expect((await post('/api/ipam/prefixes/', { prefix, vrf: space })).status).toBe(201);
        expect(await post('/api/ipam/prefixes/', { prefix, vrf: space })).toMatchObject({
          status: 400,
          body: { prefix: [`Duplicate prefix found in ${where}: ${prefix}`] },
        });
        expect((await post('/api/ipam/ip-addresses/', { address, vrf: space })).status).toBe(201);
        const again = await post('/api/ipam/ip-addresses/', { address: '192.0.2.1/25', vrf: space });
        expect(again).toMatchObject({
          status: 400,
          body: { address: [`Duplicate IP address found in ${where}: 192.0.2.1/25`] },
        });
      }
      for (let copy = 0; copy < 2; copy += 1) {
        expect((await post('/api/ipam/prefixes/', { prefix, vrf: loose['id'] })).status).toBe(201);
        expect((await post('/api/ipam/ip-addresses/', { address, vrf: loose['id'] })).status).toBe(201);
      }
    }
    for (const role of ['vip', 'vrrp'])
      expect((await post('/api/ipam/ip-addresses/', { address: '192.0.2.9/24', role })).status).toBe(201);
    expect((await post('/api/ipam/ip-addresses/', { address: '192.0.2.9/24' })).status).toBe(400);
  });
});
