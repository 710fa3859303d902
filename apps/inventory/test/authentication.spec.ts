import { RedisCredentialInvalidationNotifier } from '@switchboard/auth';
import { connectRedis } from '@switchboard/queue';
import type { InProcessApiClient } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getCredentialRedisChannelName } from '../src/open-inventory.js';
import { createOrResetSuperuser } from '../src/users/create-superuser.js';
import { startInventory, type TestInventory } from './support/test-service.js';

interface TokenBody {
  readonly id: number;
  readonly key: string | null;
  readonly token: string | null;
  readonly display: string;
}

const path = '/api/ipam/roles/';

describe('requests with API tokens', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  const using = (authorization: string): InProcessApiClient => test.stranger.withHeaders({ authorization });
  const issue = async (more: object = {}): Promise<TokenBody> => {
    const { body } = await test.api.post<TokenBody>('/api/users/tokens/', { json: { user: test.adminId, ...more } });
    return body;
  };
  const bearer = ({ key, token }: TokenBody): string =>
    key === null ? `Token ${token}` : `Bearer nbt_${key}.${token}`;

  it.each([
    ['Token ', 'Invalid authorization header: Must be in the form "Bearer <key>.<token>" or "Token <token>"'],
    ['Bearer a b', 'Invalid authorization header: Must be in the form "Bearer <key>.<token>" or "Token <token>"'],
    [
      'Bearer nbt_dotless',
      "Invalid authorization header: Could not parse key from v2 token. Did you mean to use 'Token' instead of 'Bearer'?",
    ],
    ['Token 0123456789012345678901234567890123456789', 'Invalid v1 token'],
    ['Bearer nbt_abcdefghijkl.0123456789012345678901234567890123456789', 'Invalid v2 token'],
    ['Basic YTpi', 'Authentication credentials were not provided.'],
  ])('respond 403 to %s', async (authorization, detail) => {
    const { status, body, headers } = await using(authorization).get(path);
    expect({ status, body }).toEqual({ status: 403, body: { detail } });
    expect(headers['www-authenticate']).toBeUndefined();
    expect(headers['api-version']).toBe('4.6');
  });

  it('accept tokens of version 1 and 2 with either keyword of the Authorization header', async () => {
    const second = await issue();
    const first = await issue({ version: 1 });
    for (const value of [
      bearer(second),
      bearer(second).replace('Bearer', 'Token'),
      bearer(first),
      bearer(first).replace('Token', 'Bearer'),
    ]) {
      expect((await using(value).get(path)).status).toBe(200);
    }
  });

  it('return a new token only on creation, and store only its digest', async () => {
    const made = await issue({ version: 1 });
    expect(made.token).toMatch(/^[A-Za-z0-9]{40}$/);
    expect(made.display).toBe(`${'*'.repeat(34)}${made.token?.slice(-6)}`);
    const read = await test.api.get<TokenBody>(`/api/users/tokens/${made.id}/`);
    expect(read.body).toMatchObject({ token: null, key: null });
    const { rows } = await test.inventory.database.query('SELECT t::text AS row FROM users_token t WHERE id = $1', [
      made.id,
    ]);
    expect(JSON.stringify(rows)).not.toContain(made.token);
  });

  it('get 403 for disabled or expired tokens, disallowed client addresses and inactive users', async () => {
    const token = await issue();
    const client = using(bearer(token));
    const refusal = async (): Promise<unknown> => (await client.get(path)).body;
    expect((await client.get(path)).status).toBe(200);
    const change = (body: object): Promise<unknown> => test.api.patch(`/api/users/tokens/${token.id}/`, { json: body });
    await change({ enabled: false });
    expect(await refusal()).toEqual({ detail: 'Token disabled' });
    await change({ enabled: true, allowed_ips: ['192.0.2.0/24'] });
    expect(await refusal()).toEqual({
      detail: 'Source IP 127.0.0.1 is not permitted to authenticate using this token.',
    });
    await change({ allowed_ips: ['127.0.0.0/8'] });
    expect((await client.get(path)).status).toBe(200);
    await test.inventory.database.query(`UPDATE users_token SET expires = now() - interval '1 minute' WHERE id = $1`, [
      token.id,
    ]);
    await change({ description: 'seen' });
    expect(await refusal()).toEqual({ detail: 'Token expired' });
    await test.api.delete(`/api/users/tokens/${token.id}/`);
    expect(await refusal()).toEqual({ detail: 'Invalid v2 token' });
    const { body: user } = await test.api.post<{ id: number }>('/api/users/users/', {
      json: { username: 'gone', password: 'Twelve chars 1' },
    });
    const gone = await test.clientOf(user.id);
    await test.api.patch(`/api/users/users/${user.id}/`, { json: { is_active: false } });
    expect((await gone.get(path)).body).toEqual({ detail: 'User inactive' });
  });

  it('apply a change by the command create-superuser immediately, even when the token is cached', async () => {
    const json = { username: 'promoted', password: 'Twelve chars 1', is_active: false };
    const { body: user } = await test.api.post<{ id: number }>('/api/users/users/', { json });
    const client = await test.clientOf(user.id);
    expect((await client.get(path)).body).toEqual({ detail: 'User inactive' });
    const { config, database, logger } = test.inventory;
    const redis = connectRedis(config.REDIS_URL, 'commands', logger);
    const invalidations = new RedisCredentialInvalidationNotifier({
      redis,
      channel: getCredentialRedisChannelName(config),
      logger,
    });
    await createOrResetSuperuser({ database, invalidations }, 'promoted', 'Twelve chars 2');
    await expect(createOrResetSuperuser({ database, invalidations }, 'Promoted', 'Twelve chars 2')).rejects.toThrow(
      'A user exists whose name differs from Promoted only in letter case.',
    );
    redis.disconnect();
    await expect.poll(async () => (await client.get(path)).status).toBe(200);
  });

  it('reject an expiry in the past for a new token', async () => {
    const { body } = await test.api.post('/api/users/tokens/', {
      json: { user: test.adminId, expires: '2001-01-01T00:00:00Z' },
    });
    expect(body).toEqual({ expires: ['Expiration time must be in the future.'] });
  });

  it('respond 403 to writes if the token has no write access', async () => {
    const reader = using(bearer(await issue({ write_enabled: false })));
    expect((await reader.get(path)).status).toBe(200);
    const denied = { status: 403, body: { detail: 'You do not have permission to perform this action.' } };
    expect(await reader.post(path, { json: { name: 'x', slug: 'x' } })).toMatchObject(denied);
    expect(await reader.patch(`${path}1/`, { json: {} })).toMatchObject(denied);
    expect(await reader.delete(`${path}1/`)).toMatchObject(denied);
    const { body } = await reader.sendOptionsRequest<{ actions?: object }>(path);
    expect(body.actions).toBeUndefined();
  });

  it('create a token from a user name and password', async () => {
    const provision = '/api/users/tokens/provision/';
    const { status, body } = await test.stranger.post<TokenBody>(provision, {
      json: { username: 'root', password: 'Correct horse 1 battery' },
    });
    expect(status).toBe(201);
    expect(Object.keys(body).join(' ')).toBe(
      'id url display_url display version user key created expires last_used enabled write_enabled description allowed_ips token',
    );
    expect((await using(bearer(body)).get('/api/authentication-check/')).body).toMatchObject({ username: 'root' });
    const wrong = await test.stranger.post(provision, { json: { username: 'root', password: 'x' } });
    expect(wrong).toMatchObject({ status: 403, body: { detail: 'Invalid username/password' } });
    const missing = await test.stranger.post(provision, { json: {} });
    expect(missing).toMatchObject({
      status: 400,
      body: { username: ['This field is required.'], password: ['This field is required.'] },
    });
  });

  it('get the allowed methods of the token provisioning endpoint without credentials', async () => {
    const provision = '/api/users/tokens/provision/';
    const { status, body, headers } = await test.stranger.sendOptionsRequest<{
      name: string;
      actions: { POST: Record<string, { required: boolean }> };
    }>(provision);
    expect([status, body.name, headers['allow']]).toEqual([200, 'Token Provision', 'OPTIONS, POST']);
    const required = Object.entries(body.actions.POST).filter(([, field]) => field.required);
    expect(required.map(([field]) => field)).toEqual(['username', 'password']);
    expect(body.actions.POST).toHaveProperty('expires');
    expect(body.actions.POST).not.toHaveProperty('user');
  });

  it("list and create only the user's own tokens", async () => {
    const { body: user } = await test.api.post<{ id: number }>('/api/users/users/', {
      json: { username: 'own', password: 'Twelve chars 1' },
    });
    const client = await test.clientOf(user.id);
    const { body } = await client.get<{ count: number }>('/api/users/tokens/');
    expect(body.count).toBe(1);
    expect((await client.post('/api/users/tokens/', { json: { user: user.id } })).status).toBe(201);
    expect((await client.post('/api/users/tokens/', { json: { user: test.adminId } })).status).toBe(403);
    expect((await client.get('/api/users/tokens/1/')).status).toBe(404);
    expect((await client.delete('/api/users/tokens/1/')).status).toBe(404);
  });

  it('look up a token in the database only once', async () => {
    const client = await test.clientOf(test.adminId);
    const statements: string[] = [];
    const { pool } = test.inventory.database;
    const query = pool.query.bind(pool);
    Object.assign(pool, {
      query: (...given: Parameters<typeof query>) => {
        statements.push(JSON.stringify(given[0]));
        return query(...given);
      },
    });
    await client.get(`${path}?limit=2`);
    await client.get(`${path}?limit=1`);
    expect(statements.filter((text) => text.includes('users_token t JOIN')).length).toBe(1);
    expect(statements.filter((text) => text.includes('ipam_role')).length).toBe(2);
  });
});

describe('LOGIN_REQUIRED=false', () => {
  it('allows requests without credentials to list only models in EXEMPT_VIEW_PERMISSIONS', async () => {
    const test = await startInventory({ LOGIN_REQUIRED: 'false', EXEMPT_VIEW_PERMISSIONS: '*' });
    try {
      expect((await test.stranger.get(path)).status).toBe(200);
      expect((await test.stranger.get('/api/status/')).status).toBe(200);
      const denied = { status: 403, body: { detail: 'Authentication credentials were not provided.' } };
      expect(await test.stranger.get('/api/users/users/')).toMatchObject(denied);
      expect(await test.stranger.post(path, { json: { name: 'x', slug: 'x' } })).toMatchObject(denied);
    } finally {
      await test.close();
    }
  });
});
