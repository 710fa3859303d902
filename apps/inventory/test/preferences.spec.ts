import type { InProcessApiClient } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

const config = '/api/users/config/';
const dashboard = '/api/extras/dashboard/';

describe('preferences and dashboard of a user', () => {
  let test: TestInventory;
  let plain: InProcessApiClient;
  beforeAll(async () => {
    test = await startInventory();
    const { body: user } = await test.api.post<{ id: number }>('/api/users/users/', {
      json: { username: 'plain', password: 'Twelve chars 1' },
    });
    plain = await test.clientOf(user.id);
  });
  afterAll(() => test.close());

  it('merge changed preferences at every depth, separately for each user', async () => {
    expect((await plain.get(config)).body).toEqual({});
    const first = { a: { a1: 'X', a2: { deep: [1, 2] } }, b: { b1: 'Z' }, kept: null };
    expect((await plain.patch(config, { json: first })).body).toEqual(first);
    const { body } = await plain.patch(config, { json: { a: { a2: { deep: [3], more: true } }, b: 5, c: 123 } });
    const merged = { a: { a1: 'X', a2: { deep: [3], more: true } }, b: 5, kept: null, c: 123 };
    expect(body).toEqual(merged);
    expect((await plain.get(config)).body).toEqual(merged);
    expect((await test.api.get(config)).body).toEqual({});
  });

  it('retain all concurrent changes of preferences', async () => {
    const keys = Array.from({ length: 8 }, (_, index) => `key-${index}`);
    await Promise.all(keys.map((key) => test.api.patch(config, { json: { at_once: { [key]: key } } })));
    const { body } = await test.api.get<{ at_once: Json }>(config);
    expect(Object.keys(body.at_once).toSorted()).toEqual(keys);
  });

  it('accept __proto__ as an ordinary key', async () => {
    const json: unknown = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"x": 1}}');
    await test.api.patch(config, { json });
    const { text } = await test.api.get(config);
    expect(JSON.parse(text)).toMatchObject({ constructor: { x: 1 } });
    expect(text).toContain('"__proto__":{"polluted":true}');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('include a dashboard that can be created, partly changed and deleted', async () => {
    const nothing = { layout: null, config: null };
    expect((await plain.get(dashboard)).body).toEqual(nothing);
    const layout = [{ id: 'one', x: 0, y: 0 }];
    expect((await plain.patch(dashboard, { json: { layout } })).body).toEqual({ layout, config: null });
    expect((await plain.put(dashboard, { json: { config: { one: { class: 'note' } } } })).body).toEqual({
      layout,
      config: { one: { class: 'note' } },
    });
    expect((await plain.patch(dashboard, { json: { config: null, unknown: 1 } })).body).toEqual({
      layout,
      config: null,
    });
    expect((await test.api.get(dashboard)).body).toEqual(nothing);
    const { status, text } = await plain.delete(dashboard);
    expect([status, text]).toEqual([204, '']);
    expect((await plain.delete(dashboard)).status).toBe(204);
    expect((await plain.get(dashboard)).body).toEqual(nothing);
  });

  it('reject values that cannot be stored and values that are not objects', async () => {
    for (const path of [config, dashboard]) {
      const list = await plain.patch(path, { json: [] });
      expect([list.status, list.body]).toEqual([
        400,
        { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] },
      ]);
      for (const value of ['a\0b', '\ud800']) {
        const { status } = await plain.patch(path, { json: { layout: { deep: [value] }, [value]: 1 } });
        expect([path, value, status]).toEqual([path, value, 400]);
      }
      const text = { layout: String.raw`\u0000 \ud800` };
      expect((await plain.patch<Json>(path, { json: text })).body).toMatchObject(text);
    }
  });

  it('require credentials, with write access for changes, and respond 405 to other methods', async () => {
    const { body: token } = await plain.post<{ key: string; token: string }>('/api/users/tokens/', {
      json: { user: (await plain.get<{ id: number }>('/api/authentication-check/')).body.id, write_enabled: false },
    });
    const reader = test.stranger.withHeaders({ authorization: `Bearer nbt_${token.key}.${token.token}` });
    for (const path of [config, dashboard]) {
      const { status, body } = await test.stranger.get(path);
      expect([status, body]).toEqual([403, { detail: 'Authentication credentials were not provided.' }]);
      expect((await reader.get(path)).status).toBe(200);
      expect((await reader.patch(path, { json: {} })).status).toBe(403);
      const refused = await plain.post(path, { json: {}, unchecked: true });
      expect([refused.status, refused.body]).toEqual([405, { detail: 'Method "POST" not allowed.' }]);
      const { body: described } = await plain.sendOptionsRequest<Json>(path);
      expect(Object.keys(described)).toEqual(expect.arrayContaining(['name', 'renders', 'parses']));
    }
    expect((await plain.get(config)).headers['allow']).toBe('GET, HEAD, OPTIONS, PATCH');
    expect((await plain.get<Json>('/api/users/')).body['config']).toBe(`http://localhost${config}`);
  });

  it('disappear when the user is deleted', async () => {
    const { body: gone } = await test.api.post<{ id: number }>('/api/users/users/', {
      json: { username: 'gone', password: 'Twelve chars 1' },
    });
    const client = await test.clientOf(gone.id);
    await client.patch(config, { json: { a: 1 } });
    await client.put(dashboard, { json: { layout: [] } });
    expect((await test.api.delete(`/api/users/users/${gone.id}/`)).status).toBe(204);
  });

  it('reject unstorable values in JSON fields', async () => {
    for (const value of ['a\0b', '\ud800']) {
      const { status } = await test.api.post('/api/core/data-sources/', {
        json: { name: 'S', type: 'git', source_url: 'https://example.com/', parameters: { deep: [value] } },
      });
      expect([value, status]).toEqual([value, 400]);
    }
  });
});
