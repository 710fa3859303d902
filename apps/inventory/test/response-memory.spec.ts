import { gunzipSync } from 'node:zlib';
import type { InjectClient } from '@switchboard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { registry } from '../src/models/index.js';
import { startInventory, type TestInventory } from './support/harness.js';
import { permittedUser, removePermittedUsers } from './support/permitted-user.js';
import { type SecondProcess, startSecondProcess } from './support/second-process.js';

let test: TestInventory;
let api: InjectClient;
/** It never hears of what other processes have changed, as if each message through Redis was lost. */
let deaf: SecondProcess;
let seen = { hits: 0, misses: 0 };
beforeAll(async () => {
  test = await startInventory({
    RESPONSE_MEMORY_BYTES: '4000000',
    TRUST_PROXY: 'true',
    COMPRESSION_THRESHOLD_BYTES: '100',
  });
  api = test.api;
  deaf = await startSecondProcess(test, { REDIS_KEY_PREFIX: `${test.inventory.config.REDIS_KEY_PREFIX}:deaf` });
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

describe('GET of a list in memory', () => {
  it('serves a list until a model changes that it shows, counts or is filtered by', async () => {
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

  it('has other bytes for another host, scheme, query or strictness', async () => {
    const path = '/api/dcim/sites/?limit=1';
    const textWith = async (headers: Record<string, string>): Promise<string> =>
      (await api.with(headers).get(path)).text;
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
    expect((await api.with({ 'x-strict-filters': 'true' }).get('/api/dcim/sites/?limit=1&nme=x')).status).toBe(400);
  });

  it('responds 304 to If-None-Match with the tag of its bytes, and 200 after a change', async () => {
    const path = '/api/dcim/manufacturers/';
    const maker = await idOf(path, { name: 'M1', slug: 'm1' });
    const first = await api.get(path);
    const etag = String(first.headers['etag']);
    for (const known of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
      const again = await api.with({ 'if-none-match': known }).get(path);
      expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', etag]);
    }
    expect((await api.with({ 'if-none-match': etag, accept: 'application/json; indent=2' }).get(path)).status).toBe(
      200,
    );
    await api.patch(`${path}${maker}/`, { json: { description: 'new' } });
    const changed = await api.with({ 'if-none-match': etag }).get(path);
    expect([changed.status, changed.headers['etag'] === etag]).toEqual([200, false]);
    const object = await api.get(`${path}${maker}/`);
    const same = await api.with({ 'if-none-match': String(object.headers['etag']) }).get(`${path}${maker}/`);
    expect([same.status, same.text]).toEqual([200, object.text]);
  });

  it('sends compressed forms from memory, which count against the limit', async () => {
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

  it('keeps no list with times of the last use or of tables whose changes are not recorded', async () => {
    for (const path of ['/api/users/users/', '/api/users/tokens/', '/api/core/object-changes/']) {
      await api.get(path);
      await api.get(path);
    }
    expect(counted()).toEqual({ hits: 0, misses: 6 });
  });
});

describe('GET of what another process has changed', () => {
  it('shows fields that were added and renamed though no message arrived', async () => {
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

  it('goes by the present rights of the user, which are part of the key', async () => {
    const path = '/api/dcim/sites/';
    await idOf(path, { name: 'Two', slug: 'two' });
    const limited = { types: ['dcim.site'], actions: ['view'], constraints: { slug: 'two' } } as const;
    const { api: user, permission } = await permittedUser(test, limited);
    const slugs = async (client: InjectClient): Promise<string[]> =>
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

describe('the tables of the models', () => {
  it('have a trigger that records changes, but for those that change with each request or write', async () => {
    const { rows } = await test.inventory.database.query<{ name: string }>(
      `SELECT tgrelid::regclass::text AS name FROM pg_trigger WHERE tgname = 'model_change' AND tgenabled = 'A'`,
    );
    const watched = new Set(rows.map(({ name }) => name));
    const unwatched = registry.models.filter(({ table }) => !watched.has(table)).map(({ table }) => table);
    expect(unwatched.toSorted()).toEqual(['core_objectchange', 'extras_webhookdelivery']);
  });
});
