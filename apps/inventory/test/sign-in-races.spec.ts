import { hashPassword } from '@switchboard/auth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { runInOpenTransaction, untilWaiting } from './support/hold-row-locks.js';

const password = 'Correct horse 2 battery';

let test: TestInventory;
let hash = '';
let other = '';
let userId = 0;
let username = '';
beforeAll(async () => {
  test = await startInventory();
  [hash, other] = await Promise.all([hashPassword(password), hashPassword('Something else 3')]);
});
beforeEach(async () => {
  username = `user-${crypto.randomUUID()}`;
  const { rows } = await test.inventory.database.query<{ id: number }>(
    'INSERT INTO users_user (username, password) VALUES ($1, $2) RETURNING id',
    [username, hash],
  );
  userId = rows[0]?.id ?? 0;
});
afterAll(() => test.close());

/** Logs in through the login page. Returns the HTTP status of the response and the session cookie. */
async function logIn(): Promise<{ status: number; sessionid: string | undefined }> {
  const page = await test.fastify.inject({ method: 'GET', url: '/login/' });
  const csrf = page.cookies.find(({ name }) => name === 'csrftoken')?.value ?? '';
  const response = await test.fastify.inject({
    method: 'POST',
    url: '/login/',
    headers: { cookie: `csrftoken=${csrf}`, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ username, password, csrfmiddlewaretoken: csrf }).toString(),
  });
  return { status: response.statusCode, sessionid: response.cookies.find(({ name }) => name === 'sessionid')?.value };
}

async function sessionStatus(sessionid: string | undefined): Promise<number> {
  const headers = { cookie: `sessionid=${sessionid ?? ''}` };
  return (await test.fastify.inject({ method: 'GET', url: '/api/authentication-check/', headers })).statusCode;
}

const provision = () => test.stranger.post('/api/users/tokens/provision/', { json: { username, password } });

/** Runs a login request, which verifies the password, while a transaction that changes the user is open. */
async function during<T>(change: string, values: unknown[], request: () => Promise<T>): Promise<T> {
  const { database } = test.inventory;
  const hold = await runInOpenTransaction(database, (tx) =>
    tx.query(`UPDATE users_user SET ${change} WHERE id = $1`, [userId, ...values]),
  );
  const response = request();
  await untilWaiting(database, 1);
  await hold.release();
  return response;
}

const changes = [
  { name: 'the password changes', change: 'password = $2', values: () => [other] },
  { name: 'the user is deactivated', change: 'is_active = false', values: () => [] },
];

describe('POST /login/', () => {
  it.each(changes)('responds 403 when $name before the session is stored', async ({ change, values }) => {
    const { status, sessionid } = await during(change, values(), logIn);
    expect([status, sessionid]).toEqual([403, undefined]);
    await test.inventory.database.query('UPDATE users_user SET is_active = true, password = $2 WHERE id = $1', [
      userId,
      hash,
    ]);
    const { rows } = await test.inventory.database.query('SELECT FROM users_session WHERE user_id = $1', [userId]);
    expect(rows).toHaveLength(0);
  });
});

describe('POST /api/users/tokens/provision/', () => {
  it.each(changes)('responds 403 when $name before the token is stored', async ({ change, values }) => {
    const { status } = await during(change, values(), provision);
    expect(status).toBe(403);
    const { rows } = await test.inventory.database.query('SELECT FROM users_token WHERE user_id = $1', [userId]);
    expect(rows).toHaveLength(0);
  });
});

describe('PATCH /api/users/users/{id}/', () => {
  it('ends the sessions of a user when the request deactivates the user, even after a reactivation', async () => {
    const { sessionid } = await logIn();
    expect(await sessionStatus(sessionid)).toBe(200);
    const path = `/api/users/users/${userId}/`;
    expect((await test.api.patch(path, { json: { is_active: false } })).status).toBe(200);
    expect((await test.api.patch(path, { json: { is_active: true } })).status).toBe(200);
    expect(await sessionStatus(sessionid)).toBe(403);
  });

  it('responds only after other processes have evicted the cached user', async () => {
    const { redis } = test.inventory;
    const publish = redis.publish.bind(redis);
    const done: string[] = [];
    redis.publish = async (channel: string, tag: string) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      done.push(tag);
      return publish(channel, tag);
    };
    try {
      await test.api.patch(`/api/users/users/${userId}/`, { json: { first_name: 'Ada' } });
      expect(done).toEqual([`users.user:${userId}`]);
    } finally {
      redis.publish = publish;
    }
  });
});
