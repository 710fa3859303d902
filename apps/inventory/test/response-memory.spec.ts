import { gunzipSync } from 'node:zlib';
import type { InProcessApiClient } from '@switchboard/testing';
import { RecordedChangeRemover } from '@switchboard/database';
import { setQueuePrefix } from '@switchboard/queue';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { modelRegistry } from '../src/models/index.js';
import { StatementTableFinder } from '../src/response-memory/tables-read-by-statements.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { permittedUser, removePermittedUsers } from './support/permitted-user.js';
import { type SecondProcess, startSecondProcess } from './support/start-second-process.js';

let test: TestInventory;
let api: InProcessApiClient;
/** A process of the service that receives no invalidation messages, which is the state if Redis loses all messages. */
let deaf: SecondProcess;
let seen = { hits: 0, misses: 0 };
beforeAll(async () => {
  test = await startInventory({
    RESPONSE_MEMORY_BYTES: '4000000',
    TRUST_PROXY: '1',
    COMPRESSION_THRESHOLD_BYTES: '100',
  });
  api = test.api;
  const prefix = `${test.inventory.config.REDIS_KEY_PREFIX}:deaf`;
  deaf = await startSecondProcess(test, { REDIS_KEY_PREFIX: prefix });
  // The first process has been accepted with its prefix, and does not check it again.
  await test.inventory.outbox.start('api');
  await setQueuePrefix(test.inventory.database.pool, { prefix });
});
afterAll(async () => {
  await deaf.close();
  await test.close();
});
beforeEach(() => {
  seen = { ...test.inventory.memory.metrics };
});

const counted = () => {
  const { hits, misses } = test.inventory.memory.metrics;
  return { hits: hits - seen.hits, misses: misses - seen.misses };
};

async function idOf(path: string, json: object): Promise<number> {
  const response = await api.post<{ id: number }>(path, { json });
  expect([response.status, response.text]).toEqual([201, response.text]);
  return response.body.id;
}

describe('GET of a list with the response cache', () => {
  it('returns the cached bytes until a model changes that the list shows, counts or filters by', async () => {
    const region = await idOf('/api/dcim/regions/', { name: 'North', slug: 'north' });
    const site = await idOf('/api/dcim/sites/', { name: 'One', slug: 'one', region });
    const path = '/api/dcim/sites/?region=north';
    const bodyAfter = async (change: () => Promise<unknown>): Promise<string> => {
      await api.get(path);
      await api.get(path);
      expect(counted().hits).toBeGreaterThan(0);
      await change();
      return (await api.get(path)).text;
    };
    expect(await bodyAfter(() => api.patch(`/api/dcim/sites/${site}/`, { json: { facility: 'F9' } }))).toContain(
      '"F9"',
    );
    const named = await bodyAfter(() => api.patch(`/api/dcim/regions/${region}/`, { json: { name: 'South' } }));
    expect(named).toContain('"South"');
    const racked = await bodyAfter(() => api.post('/api/dcim/racks/', { json: { name: 'R1', site } }));
    expect(racked).toContain('"rack_count": 1');
    const tagged = await bodyAfter(() =>
      api.patch(`/api/dcim/sites/${site}/`, { json: { tags: [{ name: 'T1', slug: 't1' }] } }).then(async (refused) => {
        expect(refused.status).toBe(400);
        await idOf('/api/extras/tags/', { name: 'T1', slug: 't1' });
        return api.patch(`/api/dcim/sites/${site}/`, { json: { tags: [{ slug: 't1' }] } });
      }),
    );
    expect(tagged).toContain('"T1"');
    const byHand = "UPDATE extras_tag SET name = 'T2' WHERE slug = 't1'";
    expect(await bodyAfter(() => test.inventory.database.query(byHand))).toContain('"T2"');
    const moved = await bodyAfter(() => api.patch(`/api/dcim/regions/${region}/`, { json: { slug: 'elsewhere' } }));
    expect(moved).toContain('Select a valid choice');
  });

  it('caches separately by host, scheme, query and strict mode', async () => {
    const path = '/api/dcim/sites/?limit=1';
    const textWith = async (headers: Record<string, string>): Promise<string> =>
      (await api.withHeaders(headers).get(path)).text;
    const texts = [{}, { host: 'inventory.example' }, { 'x-forwarded-proto': 'https' }] as const;
    for (const headers of [...texts, ...texts]) await textWith({ ...headers });
    expect(counted()).toEqual({ hits: 3, misses: 3 });
    expect(await textWith({ host: 'inventory.example' })).toContain('http://inventory.example/api/dcim/sites/');
    expect(await textWith({ 'x-forwarded-proto': 'https' })).toContain('https://localhost');
    const unknown = {
      method: 'GET',
      url: '/api/dcim/sites/?limit=1&nme=x',
      headers: { authorization: `Bearer ${test.adminToken}` },
    } as const;
    expect((await test.fastify.inject(unknown)).statusCode).toBe(200);
    expect((await api.withHeaders({ 'x-strict-filters': 'true' }).get('/api/dcim/sites/?limit=1&nme=x')).status).toBe(
      400,
    );
  });

  it('responds 304 to a request with the current ETag in If-None-Match, and 200 after a change', async () => {
    const path = '/api/dcim/manufacturers/';
    const maker = await idOf(path, { name: 'M1', slug: 'm1' });
    const first = await api.get(path);
    const etag = String(first.headers['etag']);
    for (const known of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
      const again = await api.withHeaders({ 'if-none-match': known }).get(path);
      expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', etag]);
    }
    expect(
      (await api.withHeaders({ 'if-none-match': etag, accept: 'application/json; indent=2' }).get(path)).status,
    ).toBe(200);
    await api.patch(`${path}${maker}/`, { json: { description: 'new' } });
    const changed = await api.withHeaders({ 'if-none-match': etag }).get(path);
    expect([changed.status, changed.headers['etag'] === etag]).toEqual([200, false]);
    const object = await api.get(`${path}${maker}/`);
    const same = await api.withHeaders({ 'if-none-match': String(object.headers['etag']) }).get(`${path}${maker}/`);
    expect([same.status, same.text]).toEqual([200, object.text]);
  });

  it('repeats status, headers and bytes of the first response', async () => {
    const path = '/api/dcim/sites/?limit=2';
    const user = await test.clientOf(test.adminId);
    const responses = [];
    for (let n = 0; n < 4; n += 1) responses.push(await user.get(path));
    const shown = responses.map(({ status, headers, text }) => {
      const { date, 'x-request-id': requestId, ...fixed } = headers;
      return { status, text, headers: fixed, isDated: date !== undefined, hasId: requestId !== undefined };
    });
    expect(counted()).toEqual({ hits: 3, misses: 1 });
    expect(shown.slice(1)).toEqual([shown[0], shown[0], shown[0]]);
  });

  it('responds with indented JSON to a request for a cached list with the header Accept: application/json; indent=2', async () => {
    const path = '/api/dcim/sites/?limit=2';
    await api.get(path);
    const strict = api.withHeaders({ 'x-strict-filters': 'true', accept: 'application/json; indent=2' });
    expect((await strict.get(path)).text).toContain('\n  "count"');
  });

  it('responds 403 to a request for a cached list after the token of the user is disabled', async () => {
    const path = '/api/dcim/sites/?limit=2';
    const user = await test.clientOf(test.adminId);
    expect((await user.get(path)).status).toBe(200);
    await test.inventory.database.query(
      'UPDATE users_token SET enabled = false WHERE id = (SELECT max(id) FROM users_token)',
    );
    await test.inventory.redis.publish(`${test.inventory.config.REDIS_KEY_PREFIX}:credentials`, 'permissions');
    await expect.poll(async () => (await user.get(path)).status, { timeout: 5000 }).toBe(403);
  });

  it('caches compressed forms of a response, which count against the size limit', async () => {
    const path = '/api/dcim/sites/?brief=true';
    const { text } = await api.get(path);
    const before = test.inventory.memory.metrics.byteLength;
    for (let n = 0; n < 2; n += 1) {
      const response = await test.fastify.inject({
        url: path,
        headers: { authorization: `Bearer ${test.adminToken}`, 'accept-encoding': 'gzip' },
      });
      expect(response.headers['content-encoding']).toBe('gzip');
      expect(response.headers['vary']).toContain('accept-encoding');
      expect(gunzipSync(response.rawPayload).toString()).toBe(text);
      expect(test.inventory.memory.metrics.byteLength).toBe(before + response.rawPayload.length);
    }
    expect(counted()).toEqual({ hits: 2, misses: 1 });
  });

  it('does not cache lists with last-use times, and lists of tables without change records', async () => {
    for (const path of ['/api/users/users/', '/api/users/tokens/', '/api/core/object-changes/']) {
      await api.get(path);
      await api.get(path);
    }
    expect(counted()).toEqual({ hits: 0, misses: 6 });
  });
});

describe('GET of a list that depends on the current time', () => {
  it('responds 400 to filter values such as today', async () => {
    for (const value of ['now', 'today', 'today10:00', 'tomorrow', 'yesterday 10:00'])
      for (const name of ['created', 'created__gte', 'last_updated', 'created_by_request']) {
        const path = `/api/dcim/sites/?${name}=${encodeURIComponent(value)}`;
        expect([path, (await api.get(path)).status]).toEqual([path, 400]);
      }
    expect((await api.get('/api/circuits/circuits/?install_date=today')).status).toBe(400);
  });

  it('does not cache a list when its SQL contains a time-dependent value or function', async () => {
    const sources = await StatementTableFinder.readDatabaseTables(test.inventory.database, 10_000);
    const isKept = (text: string, ...values: unknown[]): boolean =>
      sources.listModelsReadByStatements([{ text, values }]) !== null;
    const text = 'SELECT name FROM dcim_site WHERE created > $1';
    for (const value of [
      'now',
      ' TODAY ',
      'today10:00',
      '10:00today',
      ['2026-01-01', 'tomorrow'],
      '{"at": "yesterday"}',
    ])
      expect([value, isKept(text, value)]).toEqual([value, false]);
    for (const value of ['snow', 'Known', 'nowhere', 10, null, ['a']])
      expect([value, isKept(text, value)]).toEqual([value, true]);
    for (const call of ['now()', 'CURRENT_DATE', 'age(created)', 'random()']) {
      expect([call, isKept(`SELECT ${call} FROM dcim_site`)]).toEqual([call, false]);
    }
    expect(sources.byteLength).toBeGreaterThan(0);
    for (let n = 0; n < 100; n += 1) isKept(`SELECT ${n} FROM dcim_site`);
    expect(sources.byteLength).toBeLessThanOrEqual(10_000);
  });
});

describe("cleanup of the response cache's change records", () => {
  it('removes only records that are older than every cached response', async () => {
    const path = '/api/dcim/manufacturers/';
    const { database } = test.inventory;
    const site = await idOf('/api/dcim/sites/', { name: 'Swept', slug: 'swept' });
    const maker = await idOf(path, { name: 'M2', slug: 'm2' });
    let nowMs = 0;
    const sweep = new RecordedChangeRemover(database.background('change sweep'), { nowMs: () => nowMs });
    await sweep.run();
    for (let n = 0; n < 2; n += 1) await api.get(path);
    const old = await api.get(path);
    nowMs += 600_000;
    expect(await sweep.run()).toBeGreaterThan(0);
    // The cached response is older than the removed records. It is built again and then cached.
    expect((await api.get(path)).text).toBe(old.text);
    const { hits } = counted();
    const hitsAfterAnother = async (): Promise<number> => {
      expect((await api.get(path)).text).toBe(old.text);
      return counted().hits;
    };
    await expect.poll(hitsAfterAnother).toBeGreaterThan(hits);
    await api.patch(`/api/dcim/sites/${site}/`, { json: { facility: 'x' } });
    await api.patch(`${path}${maker}/`, { json: { description: 'after the sweep' } });
    expect((await api.get(path)).text).toContain('after the sweep');
    await api.delete(`/api/dcim/sites/${site}/`);
  });
});

describe('GET after changes by another process', () => {
  it('returns added and renamed fields even if no invalidation message arrives', async () => {
    const path = '/api/dcim/sites/?slug=one';
    await deaf.api.get(path);
    const field = await idOf('/api/extras/custom-fields/', {
      name: 'floor',
      type: 'integer',
      object_types: ['dcim.site'],
    });
    for (let n = 0; n < 2; n += 1) expect((await deaf.api.get(path)).text).toContain('"floor": null');
    await api.patch(`/api/extras/custom-fields/${field}/`, { json: { name: 'storey' } });
    for (let n = 0; n < 2; n += 1) expect((await deaf.api.get(path)).text).toContain('"storey": null');
    await api.delete(`/api/extras/custom-fields/${field}/`);
    for (let n = 0; n < 2; n += 1) expect((await deaf.api.get(path)).text).not.toContain('storey');
    expect(deaf.inventory.memory.metrics.hits).toBeGreaterThanOrEqual(3);
  });

  it('returns renamed fields in a response that was not cached before', async () => {
    const field = await idOf('/api/extras/custom-fields/', {
      name: 'wing',
      type: 'text',
      object_types: ['dcim.site'],
    });
    for (let limit = 101; limit < 111; limit += 1) {
      expect((await deaf.api.get(`/api/dcim/regions/?limit=${limit}`)).status).toBe(200);
      await test.inventory.database.query('UPDATE extras_customfield SET name = $1 WHERE id = $2', [
        `wing_${limit}`,
        field,
      ]);
      expect((await deaf.api.get(`/api/dcim/sites/?slug=one&limit=${limit}`)).text).toContain(`"wing_${limit}": null`);
    }
    await api.delete(`/api/extras/custom-fields/${field}/`);
  });

  it('uses the current permissions of the user', async () => {
    const path = '/api/dcim/sites/';
    await idOf(path, { name: 'Two', slug: 'two' });
    const limited = { types: ['dcim.site'], actions: ['view'], constraints: { slug: 'two' } } as const;
    const { api: user, permission } = await permittedUser(test, limited);
    const slugs = async (client: InProcessApiClient): Promise<string[]> =>
      (await client.get<{ results: { slug: string }[] }>(path)).body.results.map(({ slug }) => slug);
    for (let n = 0; n < 2; n += 1) {
      expect(await slugs(user)).toEqual(['two']);
      expect((await slugs(api)).toSorted()).toEqual(['one', 'two']);
    }
    expect(counted()).toEqual({ hits: 2, misses: 2 });
    const permissionPath = `/api/users/permissions/${permission}/`;
    expect((await deaf.api.patch(permissionPath, { json: { constraints: { slug: 'one' } } })).status).toBe(200);
    await test.inventory.redis.publish(`${test.inventory.config.REDIS_KEY_PREFIX}:credentials`, 'permissions');
    await expect.poll(() => slugs(user), { timeout: 5000 }).toEqual(['one']);
    await removePermittedUsers(test);
  });
});

describe('tables of all models', () => {
  it('have a trigger that records changes, except tables that change with every request', async () => {
    const { rows } = await test.inventory.database.query<{ name: string }>(
      `SELECT tgrelid::regclass::text AS name FROM pg_trigger WHERE tgname = 'model_change' AND tgenabled = 'A'`,
    );
    const watched = new Set(rows.map(({ name }) => name));
    const unwatched = modelRegistry.models.filter(({ table }) => !watched.has(table)).map(({ table }) => table);
    expect(unwatched.toSorted()).toEqual(['core_objectchange', 'extras_webhookdelivery']);
  });
});
