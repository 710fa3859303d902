import { CredentialCache, PepperedSecretDigester } from '@switchboard/auth';
import { systemClock } from '@switchboard/platform';
import { FakeClock, type InProcessApiClient } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { measurePlanCost, RecordingTx } from '../../../test/explain-query-plan.js';
import { CredentialAuthenticator, listCredentialCacheTags } from '../../core/access/authenticator.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';

interface Key {
  readonly id: number;
  readonly name: string;
  readonly scopes: string[];
  readonly last_used_at: number | null;
  readonly expires_at: number | null;
}

interface AddedKey {
  readonly api_key: string;
  readonly key: Key;
}

type Json = Record<string, unknown>;

const path = '/api/v1/users/me/api_keys';
let cluster: ChatCluster;
let chat: ChatProcess;
let other: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  [chat, other] = await Promise.all([cluster.start({ API_KEYS_PER_USER: '8' }), cluster.start()]);
  [hamlet, iago] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago')]);
});
afterAll(() => cluster.stop());

const query = (sql: string, values: unknown[] = []) => chat.runtime.database.query<Json>(sql, values);

async function add(user: DemoUser, scopes: readonly string[], form: Record<string, string> = {}): Promise<AddedKey> {
  const { status, body } = await user.client.post<AddedKey>(path, {
    form: { name: 'laptop', scopes: JSON.stringify(scopes), ...form },
  });
  expect(status).toBe(200);
  return body;
}

const withKey = (user: DemoUser, { api_key: secret }: AddedKey, process = chat): InProcessApiClient =>
  process.client.withHeaders(createBasicAuthorization(user.email, secret));

const list = async (user: DemoUser) => (await user.client.get<{ api_keys: Key[] }>(path)).body.api_keys;
const keyOf = async (user: DemoUser, id: number) => (await list(user)).find((key) => key.id === id);
const remove = (user: DemoUser, id: number) => user.client.delete<Json>(`${path}/${id}`);
const statusOf = async (client: InProcessApiClient) => (await client.get('/api/v1/users/me')).status;
const refusal = (scope: string) => ({ status: 403, body: { code: 'INSUFFICIENT_SCOPE', required_scope: scope } });

/** Creates an API key, passes the key to the test function, and deletes the key afterwards. */
async function whileKeyExists(user: DemoUser, scopes: readonly string[], work: (key: AddedKey) => Promise<void>) {
  const added = await add(user, scopes);
  await work(added);
  await remove(user, added.key.id);
}

describe('POST /users/me/api_keys', () => {
  it('creates a key whose secret no other response contains, and stores only a digest', async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 3600;
    const added = await add(hamlet, ['send', 'read', 'send'], { name: ' laptop ', expires_at: String(expiresAt) });
    expect(added).toMatchObject({ api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/), key: { name: 'laptop' } });
    const stored = { id: added.key.id, name: 'laptop', scopes: ['read', 'send'], expires_at: expiresAt };
    expect(await keyOf(hamlet, added.key.id)).toMatchObject({ ...stored, last_used_at: null });
    const { text } = await hamlet.client.get(path);
    expect(text).not.toContain(added.api_key);
    const { rows } = await query('SELECT * FROM api_keys WHERE id = $1', [added.key.id]);
    expect(JSON.stringify(rows)).not.toContain(added.api_key);
    expect(cluster.log.join('\n')).not.toContain(added.api_key);
    expect(await list(iago)).toEqual([]);
    await remove(hamlet, added.key.id);
  });

  it.each<[form: Record<string, string>, msg: string]>([
    [{ name: ' ' }, 'name cannot be blank'],
    [{ name: 'ä'.repeat(61) }, 'name is too long (limit: 60 characters)'],
    [{ scopes: '["write"]' }, 'Invalid scopes[0]'],
    [{ expires_at: '1' }, 'expires_at must be in the future'],
  ])('rejects the parameters %o', async (form, msg) => {
    const { status, body } = await hamlet.client.post<Json>(path, { form: { name: 'x', scopes: '["read"]', ...form } });
    expect({ status, msg: body['msg'] }).toEqual({ status: 400, msg });
  });

  it('rejects an empty list of scopes', async () => {
    expect((await hamlet.client.post(path, { form: { name: 'x', scopes: '[]' } })).status).toBe(400);
  });

  it('rejects a key when the user already has the maximum number of keys', async () => {
    const added = await Promise.all(Array.from({ length: 8 }, () => add(iago, ['read'])));
    const { body } = await iago.client.post<Json>(path, { form: { name: 'x', scopes: '["read"]' } });
    expect(body['msg']).toBe('You may store at most 8 API keys');
    for (const { key } of added) await remove(iago, key.id);
    expect(await list(iago)).toEqual([]);
  });

  it.each([
    ['users/me/api_keys', { name: 'x', scopes: '["read"]' }],
    ['users/me/api_key/regenerate', {}],
  ])(
    'rejects a key that is revoked while the request waits for the lock of the account: POST /%s',
    async (endpoint, form) => {
      const added = await add(hamlet, ['administer']);
      const client = withKey(hamlet, added);
      const connection = await chat.runtime.database.pool.connect();
      try {
        await connection.query('BEGIN');
        await connection.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [hamlet.id]);
        const request = client.post<Json>(`/api/v1/${endpoint}`, { form });
        const waiting = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`;
        await expect.poll(async () => (await query(waiting)).rowCount).toBeGreaterThan(0);
        await connection.query('DELETE FROM api_keys WHERE id = $1', [added.key.id]);
        await connection.query('COMMIT');
        expect(await request).toMatchObject({ status: 401, body: { code: 'INVALID_API_KEY' } });
      } finally {
        connection.release();
      }
      expect(await list(hamlet)).toEqual([]);
    },
  );
});

describe('API key with scopes', () => {
  it('accepts requests to endpoints within the scopes of the key, and rejects other requests with 403 before validation', async () => {
    await whileKeyExists(hamlet, ['read'], async (added) => {
      const client = withKey(hamlet, added);
      expect(await statusOf(client)).toBe(200);
      expect(await client.post('/api/v1/messages')).toMatchObject(refusal('send'));
      expect(await client.post(path)).toMatchObject(refusal('administer'));
      const wrongEmail = chat.client.withHeaders(createBasicAuthorization(iago.email, added.api_key));
      expect(await statusOf(wrongEmail)).toBe(401);
    });
    await whileKeyExists(hamlet, ['send'], async (added) => {
      const client = withKey(hamlet, added);
      const form = { type: 'direct', to: JSON.stringify([iago.id]), content: 'hello' };
      expect((await client.post('/api/v1/messages', { form })).status).toBe(200);
      expect(await client.get('/api/v1/messages')).toMatchObject(refusal('read'));
    });
    await whileKeyExists(hamlet, ['administer'], async (added) => {
      const client = withKey(hamlet, added);
      const form = { type: 'direct', to: JSON.stringify([iago.id]), content: 'hello' };
      expect((await client.post('/api/v1/messages', { form })).status).toBe(200);
      expect((await client.get(path)).status).toBe(200);
    });
  });

  it('applies its scopes to a request that has the key in its URL', async () => {
    await whileKeyExists(hamlet, ['send'], async ({ api_key: key }) => {
      const url = `/avatar/${iago.id}`;
      expect(await chat.client.get(url, { query: { api_key: key } })).toMatchObject(refusal('read'));
      expect(await chat.client.get('/user_uploads/1/x', { query: { api_key: key } })).toMatchObject(refusal('read'));
    });
    await whileKeyExists(hamlet, ['read'], async ({ api_key: key }) => {
      expect((await chat.client.get(`/avatar/${iago.id}`, { query: { api_key: key } })).status).toBe(302);
      expect(await chat.client.post('/api/v1/tus', { query: { api_key: key } })).toMatchObject(refusal('send'));
    });
  });

  it('rejects the key in requests to /json, which accept only browser sessions', async () => {
    await whileKeyExists(hamlet, ['administer'], async ({ api_key: key }) => {
      const headers = createBasicAuthorization(hamlet.email, key);
      expect((await chat.client.get('/json/users/me', { headers, unchecked: true })).status).toBe(401);
    });
  });

  it.each<[method: 'get' | 'post' | 'patch' | 'delete', endpoint: string]>([
    ['get', 'users/me/api_keys'],
    ['post', 'users/me/api_keys'],
    ['delete', 'users/me/api_keys/1'],
    ['post', 'users/me/api_key/regenerate'],
    ['get', 'bots'],
    ['post', 'bots'],
    ['get', 'bots/1/api_key'],
    ['post', 'bots/1/api_keys'],
    ['patch', 'settings'],
    ['get', 'invites'],
    ['get', 'streams/1/email_address'],
  ])('responds 403 to %s %s, with which a key could gain scopes', async (method, endpoint) => {
    await whileKeyExists(hamlet, ['read', 'send'], async (added) => {
      expect(await withKey(hamlet, added)[method](`/api/v1/${endpoint}`)).toMatchObject(refusal('administer'));
    });
  });

  it('shows secrets of bots in snapshots, events and deltas only with the scope administer', async () => {
    const bot = { full_name: 'Robot', short_name: 'robot', bot_type: '3', payload_url: '"https://bots.example.com"' };
    const { body } = await hamlet.client.post<{ user_id: number }>('/api/v1/bots', { form: bot });
    const form = { event_types: '["realm_bot"]' };
    interface Registered {
      readonly queue_id: string;
      readonly realm_bots: Json[];
      readonly delta: { readonly events: Json[] };
    }
    const register = async (client: InProcessApiClient, fields: Record<string, string> = {}) =>
      (await client.post<Registered>('/api/v1/register', { form: { ...form, ...fields } })).body;
    /**
     * Returns the bot's fields in three responses. These are a `POST /register` snapshot, an event from a queue
     * registered with another API key, and a delta of missed events.
     */
    const seen = async (client: InProcessApiClient) => {
      const { realm_bots: bots } = await register(client);
      const last = { queue_id: (await register(hamlet.client)).queue_id, last_event_id: -1 };
      await hamlet.client.post(`/api/v1/bots/${body.user_id}/api_key/regenerate`);
      const polled = await client.get<{ events: Json[] }>('/api/v1/events', { query: last });
      const { delta } = await register(client, { last_known: JSON.stringify(last) });
      return {
        snapshot: bots.find((shown) => shown['user_id'] === body.user_id),
        event: polled.body.events[0]?.['bot'],
        delta: delta.events[0]?.['bot'],
      };
    };
    const secret = expect.stringMatching(/./);
    for (const [scope, shown] of [
      ['read', ''],
      ['administer', secret],
    ] as const) {
      await whileKeyExists(hamlet, [scope], async (added) => {
        const updated = { user_id: body.user_id, api_key: shown };
        expect(await seen(withKey(hamlet, added))).toMatchObject({
          snapshot: { api_key: shown, services: [{ token: shown }] },
          event: updated,
          delta: updated,
        });
      });
    }
  });

  it('records its last use at most once a minute', async () => {
    await whileKeyExists(hamlet, ['read'], async (added) => {
      const { id } = added.key;
      const begun = Math.floor(Date.now() / 1000);
      await statusOf(withKey(hamlet, added));
      expect((await keyOf(hamlet, id))?.last_used_at).toBeGreaterThanOrEqual(begun);
      const age = async (seconds: number) => {
        await query('UPDATE api_keys SET last_used_at = now() - make_interval(secs => $2) WHERE id = $1', [
          id,
          seconds,
        ]);
        await chat.runtime.credentials.evictByTag(`key:${id}`);
        await statusOf(withKey(hamlet, added));
        return Math.floor(Date.now() / 1000) - ((await keyOf(hamlet, id))?.last_used_at ?? 0);
      };
      expect(await age(30)).toBeGreaterThanOrEqual(30);
      expect(await age(61)).toBeLessThan(61);
    });
  });

  it('runs no SQL statement to check a cached key', async () => {
    await whileKeyExists(hamlet, ['read'], async (added) => {
      const process = await cluster.start({}, new FakeClock(Date.now()));
      const client = withKey(hamlet, added, process);
      const isCached = async () => {
        await statusOf(client);
        return process.runtime.credentials.hasCredential(`key:${added.key.id}`);
      };
      await expect.poll(isCached).toBe(true);
      await query("UPDATE api_keys SET digest = 'another' WHERE id = $1", [added.key.id]);
      expect(await statusOf(client)).toBe(200);
    });
  });
});

describe('CredentialAuthenticator', () => {
  it('finds an uncached key by one SQL statement and an index', async () => {
    const { config, database, logger } = chat.runtime;
    const recording = new RecordingTx(database);
    const invalidations = { isConnected: () => false, listen: () => undefined, publish: () => Promise.resolve() };
    const authenticator = new CredentialAuthenticator({
      database: recording,
      pepper: new PepperedSecretDigester(Object.fromEntries(config.SECRET_PEPPERS)),
      cache: new CredentialCache<CredentialOwner>({
        invalidations,
        clock: systemClock,
        tagsOf: listCredentialCacheTags,
      }),
      returning: { writeOmittedRows: () => Promise.resolve() },
      clock: systemClock,
      logger,
    });
    await query(
      `INSERT INTO api_keys (user_id, name, scopes, digest, pepper_id)
       SELECT $1, 'many', '{read}', 'many ' || n, 1 FROM generate_series(1, 5000) n`,
      [hamlet.id],
    );
    await query('ANALYZE api_keys');
    await whileKeyExists(iago, ['read'], async (added) => {
      const { authorization } = createBasicAuthorization(iago.email, added.api_key);
      await authenticator.authenticate(authorization, 'localhost');
      recording.statements.length = 0;
      expect(await authenticator.authenticate(authorization, 'localhost')).toMatchObject({ scopes: ['read'] });
      expect(recording.statements).toHaveLength(1);
      const { indexes, scanned } = await measurePlanCost(database, recording.statements[0]!);
      expect(indexes).toContain('api_keys_digest_key');
      expect(scanned).not.toContain('api_keys');
    });
    await query("DELETE FROM api_keys WHERE name = 'many'");
  });
});

describe('DELETE /users/me/api_keys/{key_id}', () => {
  it('ends only the given key, with its pending polls in every process', async () => {
    const [ended, kept] = [await add(hamlet, ['read']), await add(hamlet, ['read'])];
    const client = withKey(hamlet, ended, other);
    const registered = await client.post<{ queue_id: string }>('/api/v1/register', {
      form: { event_types: '["message"]', fetch_event_types: '[]' },
    });
    const polled = client.get('/api/v1/events', { query: { queue_id: registered.body.queue_id, last_event_id: -1 } });
    await expect.poll(() => other.runtime.eventLog.metrics().waiters).toBe(1);
    expect((await remove(hamlet, ended.key.id)).status).toBe(200);
    expect(await statusOf(withKey(hamlet, ended))).toBe(401);
    await expect.poll(() => statusOf(client)).toBe(401);
    expect(await polled).toMatchObject({ status: 200, body: { events: [] } });
    for (const process of [chat, other]) expect(await statusOf(withKey(hamlet, kept, process))).toBe(200);
    expect(await statusOf(hamlet.client)).toBe(200);
    await remove(hamlet, kept.key.id);
  });

  it('responds 404 for unknown keys and for keys of other users, and deletes no key', async () => {
    await whileKeyExists(hamlet, ['read'], async ({ key }) => {
      for (const id of [key.id, 999_999, 99_999_999_999]) {
        expect(await remove(iago, id)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      }
      expect(await keyOf(hamlet, key.id)).toBeDefined();
    });
  });
});

describe('expiry of an API key with scopes', () => {
  it('ends cached credentials and pending polls at the time of the expiry', async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 3600;
    const clock = new FakeClock(expiresAt * 1000 - 5_000);
    const process = await cluster.start({}, clock);
    const added = await add(hamlet, ['read'], { expires_at: String(expiresAt) });
    const client = withKey(hamlet, added, process);
    const registered = await client.post<{ queue_id: string }>('/api/v1/register', {
      form: { event_types: '["message"]', fetch_event_types: '[]' },
    });
    const polled = client.get('/api/v1/events', { query: { queue_id: registered.body.queue_id, last_event_id: -1 } });
    await expect.poll(() => process.runtime.eventLog.metrics().waiters).toBe(1);
    await clock.advanceTime(6_000);
    expect(await polled).toMatchObject({ status: 200, body: { events: [] } });
    expect(await client.get('/api/v1/users/me')).toMatchObject({ status: 401, body: { code: 'INVALID_API_KEY' } });
    await remove(hamlet, added.key.id);
  });

  it('rejects an expired key that is not cached', async () => {
    await whileKeyExists(hamlet, ['read'], async (added) => {
      await query("UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1", [added.key.id]);
      expect(await statusOf(withKey(hamlet, added))).toBe(401);
    });
  });
});

describe('change of an account with API keys', () => {
  it('deletes keys when the profile is deleted, and retains keys when the API key without scopes is regenerated', async () => {
    const zoe = await signIn(chat, 'zoe');
    const added = await add(zoe, ['read']);
    const { body } = await zoe.client.post<{ api_key: string }>('/api/v1/users/me/api_key/regenerate');
    expect(await statusOf(zoe.client)).toBe(401);
    expect(await statusOf(chat.client.withHeaders(createBasicAuthorization(zoe.email, body.api_key)))).toBe(200);
    expect(await statusOf(withKey(zoe, added))).toBe(200);
    await iago.client.delete(`/api/v1/users/${zoe.id}`, { form: { actions: '{"delete_profile":true}' } });
    expect(await statusOf(withKey(zoe, added))).toBe(401);
    expect((await query('SELECT FROM api_keys WHERE user_id = $1', [zoe.id])).rowCount).toBe(0);
  });
});

describe('/bots/{bot_id}/api_keys', () => {
  it('let only the owner of a bot manage its keys', async () => {
    const form = { full_name: 'Sender', short_name: 'sender' };
    const { body } = await hamlet.client.post<{ user_id: number }>('/api/v1/bots', { form });
    const keys = `/api/v1/bots/${body.user_id}/api_keys`;
    const created = await hamlet.client.post<AddedKey>(keys, { form: { name: 'ci', scopes: '["send"]' } });
    const bot = chat.client.withHeaders(createBasicAuthorization('sender-bot@example.com', created.body.api_key));
    const message = { type: 'direct', to: JSON.stringify([hamlet.id]), content: 'built' };
    expect((await bot.post('/api/v1/messages', { form: message })).status).toBe(200);
    expect(await bot.get('/api/v1/users/me')).toMatchObject(refusal('read'));
    const cordelia = await signIn(chat, 'cordelia');
    expect(await cordelia.client.get(keys)).toMatchObject({ status: 400, body: { msg: 'Insufficient permission' } });
    expect((await iago.client.get<{ api_keys: Key[] }>(keys)).body.api_keys).toMatchObject([
      { id: created.body.key.id, name: 'ci', scopes: ['send'], last_used_at: expect.any(Number) },
    ]);
    expect((await hamlet.client.delete(`${keys}/${created.body.key.id}`)).status).toBe(200);
    expect((await bot.post('/api/v1/messages', { form: message })).status).toBe(401);
  });

  it('reject requests of bots', async () => {
    const bot = await signIn(chat, 'default-bot');
    const msg = 'This endpoint does not accept bot requests.';
    expect(await bot.client.get(path)).toMatchObject({ status: 400, body: { msg } });
  });
});
