import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readChatServiceConfig } from '../../app/environment.js';
import { listFeatureModuleControllers } from '../../app/create-service-slices.js';
import { DevelopmentAuthenticationController } from './index.js';
import { demoPassword } from '../../app/demo/index.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  hamlet = await signIn(chat, 'hamlet');
});
afterAll(() => cluster.stop());

interface Key {
  api_key: string;
  email: string;
  user_id: number;
}

const fetchKey = (username: string, password: string) =>
  chat.client.post<Key>('/api/v1/fetch_api_key', { form: { username, password } });

describe('POST /fetch_api_key', () => {
  it('returns the same API key every time, and the email address as stored', async () => {
    const first = await fetchKey('aaron@EXAMPLE.com', demoPassword);
    const second = await fetchKey('AARON@example.com', demoPassword);
    expect(first.status).toBe(200);
    expect(first.body).toEqual(second.body);
    expect(first.body.email).toBe('AARON@example.com');
  });

  it.each([
    ['a wrong password', 'hamlet@example.com', 'wrong'],
    ['an unknown address', 'nobody@example.com', demoPassword],
    ['a bot, which has no password', 'default-bot@example.com', demoPassword],
    ['an empty password', 'hamlet@example.com', ''],
  ])('rejects %s with the same error message', async (_name, username, password) => {
    const { status, body } = await fetchKey(username, password);
    expect({ status, body }).toEqual({
      status: 401,
      body: { result: 'error', msg: 'Your username or password is incorrect', code: 'AUTHENTICATION_FAILED' },
    });
  });

  it('rejects a request without a parameter, with an error that names the parameter', async () => {
    const { status, body } = await chat.client.post('/api/v1/fetch_api_key', { form: { username: 'x' } });
    expect({ status, body }).toMatchObject({ status: 400, body: { var_name: 'password' } });
  });
});

describe('POST /fetch_api_key: first sign-in', () => {
  const madeAt = '2020-01-02T03:04:05+00:00';

  interface Imported {
    date_joined: string;
    is_imported_stub: boolean;
  }

  async function imported(columns: string): Promise<number> {
    const { rows } = await chat.runtime.database.query<{ id: number }>(
      `UPDATE users SET date_joined = $1, ${columns} WHERE delivery_email = 'prospero@example.com' RETURNING id`,
      [madeAt],
    );
    return rows[0]?.id ?? 0;
  }

  async function shown(userId: number): Promise<Imported | undefined> {
    const query = { user_ids: JSON.stringify([userId]) };
    return (await hamlet.client.get<{ members: Imported[] }>('/api/v1/users', { query })).body.members[0];
  }

  const isNow = (text: unknown) => Math.abs(Date.parse(String(text)) - Date.now()) < 30_000;
  const persons = (events: Record<string, unknown>[]) => events.map(({ person }) => person as Record<string, unknown>);

  it('activates an imported account, sets its join date and emits events', async () => {
    const id = await imported('is_imported_stub = true, last_login_at = NULL');
    const queue = await openTestEventQueue(chat, hamlet, ['realm_user']);
    await fetchKey('prospero@example.com', 'wrong');
    expect(await shown(id)).toMatchObject({ date_joined: madeAt, is_imported_stub: true });
    await fetchKey('prospero@example.com', demoPassword);
    const joined = await shown(id);
    expect(joined?.is_imported_stub).toBe(false);
    expect(joined?.date_joined).toSatisfy(isNow);
    expect(persons(await queue.read())).toEqual([
      { user_id: id, date_joined: joined?.date_joined },
      { user_id: id, is_imported_stub: false },
    ]);
  });

  it('sets the join date of an account that the API created', async () => {
    const { database } = chat.runtime;
    await database.query(`UPDATE users SET can_create_users = true WHERE id = $1`, [hamlet.id]);
    const form = { email: 'osric@example.com', password: 'a long password', full_name: 'Osric' };
    const { user_id: id } = (await hamlet.client.post<Key>('/api/v1/users', { form })).body;
    expect((await shown(id))?.date_joined).toSatisfy(isNow);
    await database.query('UPDATE users SET date_joined = $1 WHERE id = $2', [madeAt, id]);
    const queue = await openTestEventQueue(chat, hamlet, ['realm_user']);
    await fetchKey(form.email, form.password);
    const joined = await shown(id);
    expect(joined).toMatchObject({ date_joined: expect.toSatisfy(isNow), is_imported_stub: false });
    await fetchKey(form.email, form.password);
    expect(await shown(id)).toEqual(joined);
    expect(persons(await queue.read())).toEqual([{ user_id: id, date_joined: joined?.date_joined }]);
  });

  it('starts the waiting period for full membership when an account is used for the first time', async () => {
    const { database } = chat.runtime;
    const groupOf = async (id: number) => {
      const { rows } = await database.query<{ name: string }>(
        `SELECT g.name FROM user_groups g JOIN user_group_members m ON m.group_id = g.id
         WHERE m.user_id = $1 AND g.kind = 'system'`,
        [id],
      );
      return rows.map(({ name }) => name);
    };
    const id = await imported('is_imported_stub = true, last_login_at = NULL');
    expect(await groupOf(id)).toEqual(['role:fullmembers']);
    await database.query(`UPDATE realms SET settings = settings || '{"waiting_period_threshold": 3}'`);
    await Promise.all([1, 2].map(() => fetchKey('prospero@example.com', demoPassword)));
    expect(await groupOf(id)).toEqual(['role:members']);
    await database.query(`UPDATE realms SET settings = settings - 'waiting_period_threshold'`);
  });

  it('retains the join date of an account that its user registered, even at the first sign-in', async () => {
    const id = await imported('is_imported_stub = false, last_login_at = NULL');
    await signIn(chat, 'prospero');
    await fetchKey('prospero@example.com', demoPassword);
    expect(await shown(id)).toMatchObject({ date_joined: madeAt, is_imported_stub: false });
  });

  it('records the time of the latest sign-in', async () => {
    const id = await imported("last_login_at = '2020-01-02'");
    await fetchKey('prospero@example.com', demoPassword);
    const { rows } = await chat.runtime.database.query<{ age: number }>(
      'SELECT extract(epoch FROM now() - last_login_at)::int AS age FROM users WHERE id = $1',
      [id],
    );
    expect(rows[0]?.age).toBeLessThan(30);
  });
});

describe('POST /dev_fetch_api_key', () => {
  it('accepts the email address in the query, and sets session cookies', async () => {
    const { status, body, headers } = await chat.client.post<Key>('/api/v1/dev_fetch_api_key', {
      query: { username: 'hamlet@example.com' },
    });
    expect({ status, email: body.email }).toEqual({ status: 200, email: 'hamlet@example.com' });
    const cookies = [headers['set-cookie']].flat().map(String);
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['sessionid', 'csrftoken']);
    expect(cookies.every((cookie) => cookie.includes('Path=/') && !cookie.includes('Secure'))).toBe(true);
  });

  it('rejects an unknown email address', async () => {
    const { status } = await chat.client.post('/api/v1/dev_fetch_api_key', { form: { username: 'x@example.com' } });
    expect(status).toBe(401);
  });

  it('responds 404 in production', () => {
    expect(listFeatureModuleControllers({ NODE_ENV: 'production' })).not.toContain(DevelopmentAuthenticationController);
    expect(listFeatureModuleControllers({ NODE_ENV: 'development' })).toContain(DevelopmentAuthenticationController);
  });
});

describe('GET /dev_list_users', () => {
  it('lists the active users of the realm without bots', async () => {
    await chat.runtime.database.query("UPDATE users SET is_active = false WHERE delivery_email_key LIKE 'cordelia@%'");
    const { body } =
      await chat.client.get<Record<'direct_admins' | 'direct_users', { email: string }[]>>('/api/v1/dev_list_users');
    await chat.runtime.database.query("UPDATE users SET is_active = true WHERE delivery_email_key LIKE 'cordelia@%'");
    const [admins, users] = [body.direct_admins, body.direct_users].map((listed) => listed.map(({ email }) => email));
    expect(admins).toEqual(expect.arrayContaining(['desdemona@example.com', 'iago@example.com']));
    expect(users).toEqual(expect.arrayContaining(['hamlet@example.com', 'polonius@example.com']));
    expect(users).not.toContain('cordelia@example.com');
    expect([...admins!, ...users!].filter((email) => email.includes('-bot'))).toEqual([]);
    expect(body.direct_users[0]).toHaveProperty('realm_url', expect.stringMatching(/^http:/));
  });
});

describe('HTTP Basic authentication', () => {
  const own = (headers: Record<string, string>) => chat.client.get('/api/v1/users/me', { headers });

  it('finds an account by its address in any letter case', async () => {
    expect((await own(createBasicAuthorization('HAMLET@Example.COM', hamlet.apiKey))).status).toBe(200);
  });

  it('responds 401 with a WWW-Authenticate header to requests without credentials', async () => {
    const { status, body, headers } = await own({});
    expect({ status, body }).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect(headers['www-authenticate']).toBe('Basic realm="zulip"');
  });

  it.each([
    ['a wrong key', () => createBasicAuthorization('hamlet@example.com', 'x'.repeat(32)), 'Invalid API key'],
    ['an unknown address', () => createBasicAuthorization('nobody@example.com', hamlet.apiKey), 'Invalid API key'],
    ["another account's key", () => createBasicAuthorization('iago@example.com', hamlet.apiKey), 'Invalid API key'],
    ['a malformed header', () => ({ authorization: 'Basic !!!' }), 'Malformed API key'],
    ['another scheme', () => ({ authorization: 'Bearer x' }), 'Malformed API key'],
  ])('rejects credentials with %s', async (_name, headers, msg) => {
    const { status, body } = await own(headers());
    expect({ status, body }).toEqual({ status: 401, body: { result: 'error', msg, code: 'INVALID_API_KEY' } });
  });

  it('queries the API key in the database at most once when a client sends many requests', async () => {
    const queries = vi.spyOn(chat.runtime.database, 'query');
    for (let count = 0; count < 5; count += 1)
      await own(createBasicAuthorization('hamlet@example.com', `${hamlet.apiKey} `));
    const lookups = queries.mock.calls.filter(([sql]) => String(sql).includes('api_key_digest'));
    queries.mockRestore();
    expect(lookups.length).toBeLessThanOrEqual(1);
  });

  it('rejects a deactivated account immediately, in every process', async () => {
    const other = await cluster.start();
    const cordelia = await signIn(chat, 'cordelia');
    const asked = () =>
      other.client.get('/api/v1/users/me', { headers: createBasicAuthorization(cordelia.email, cordelia.apiKey) });
    expect((await asked()).status).toBe(200);
    await chat.runtime.database.query('UPDATE users SET is_active = false WHERE id = $1', [cordelia.id]);
    await chat.runtime.credentials.evictByTag(`user:${cordelia.id}`);
    await expect.poll(async () => (await asked()).body).toMatchObject({ code: 'USER_DEACTIVATED' });
  });
});

describe('secrets of the chat service', () => {
  it('exist only in encrypted form in the database', async () => {
    const { rows } = await chat.runtime.database.query<{ row: string }>('SELECT users::text AS row FROM users');
    expect(rows.some(({ row }) => row.includes(hamlet.apiKey))).toBe(false);
    expect(rows.length).toBeGreaterThan(10);
  });

  it('never appear in the log (keys, passwords, authorization headers)', async () => {
    await fetchKey('hamlet@example.com', demoPassword);
    await chat.client.get('/api/v1/users/me', { headers: createBasicAuthorization(hamlet.email, hamlet.apiKey) });
    const text = cluster.log.join('\n');
    const encoded = createBasicAuthorization(hamlet.email, hamlet.apiKey).authorization.slice('Basic '.length);
    expect(text).not.toContain(hamlet.apiKey);
    expect(text).not.toContain(demoPassword);
    expect(text).not.toContain(encoded);
    expect(text.length).toBeGreaterThan(0);
  });

  it('must be configured in production', () => {
    expect(() => readChatServiceConfig({ NODE_ENV: 'production' })).toThrow(
      /SECRET_ENCRYPTION_KEYS[\s\S]*SECRET_PEPPERS/,
    );
  });
});
