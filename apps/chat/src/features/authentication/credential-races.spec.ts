import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserSessionService } from './index.js';
import { demoPassword } from '../../app/demo/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let desdemona: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, desdemona] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'desdemona')]);
});
afterAll(() => cluster.stop());

const query = (text: string, values: unknown[] = []) => chat.runtime.database.query(text, values);

/**
 * Starts a request while another database connection has locked the account. Runs `change` on that connection once the
 * request waits for the lock.
 */
async function requestDuringChange<T>(request: () => Promise<T>, change: readonly string[]): Promise<T> {
  const client = await chat.runtime.database.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [hamlet.id]);
    const result = request();
    const waiting = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`;
    await expect.poll(async () => (await query(waiting)).rowCount).toBeGreaterThan(0);
    for (const statement of change) await client.query(statement, [hamlet.id]);
    await client.query('COMMIT');
    return await result;
  } finally {
    client.release();
  }
}

const changes: [string, string[], string][] = [
  [
    'the password changes',
    ["UPDATE users SET password_hash = 'another' WHERE id = $1", 'DELETE FROM sessions WHERE user_id = $1'],
    'AUTHENTICATION_FAILED',
  ],
  [
    'the account is deactivated',
    ['UPDATE users SET is_active = false WHERE id = $1', 'DELETE FROM sessions WHERE user_id = $1'],
    'USER_DEACTIVATED',
  ],
];

/**
 * Restores the account that the {@link changes} modify. Copies the password hash of another demo account, because all
 * demo accounts have the same hash.
 */
const restore = () =>
  query(
    'UPDATE users SET is_active = true, password_hash = other.hash FROM (SELECT password_hash AS hash FROM users WHERE id = $2) other WHERE id = $1',
    [hamlet.id, desdemona.id],
  );

const credentials = { username: 'hamlet@example.com', password: demoPassword };

describe('POST /fetch_api_key', () => {
  it.each(changes)('rejects the old password when %s during the request', async (_name, change, code) => {
    const request = () => chat.client.post<{ code: string }>('/api/v1/fetch_api_key', { form: credentials });
    const { status, body } = await requestDuringChange(request, change);
    await restore();
    expect({ status, code: body.code }).toEqual({ status: 401, code });
  });
});

describe('POST /accounts/login', () => {
  it.each(changes)('creates no session when %s during the request', async (_name, change) => {
    const page = await chat.client.get('/accounts/login/', { unchecked: true });
    const csrf = /csrftoken=([^;]+)/.exec(String(page.headers['set-cookie']))?.[1] ?? '';
    const request = () =>
      chat.client.post('/accounts/login/', {
        form: { ...credentials, csrfmiddlewaretoken: csrf },
        headers: { cookie: `csrftoken=${csrf}`, 'x-csrftoken': csrf },
        unchecked: true,
      });
    const { status } = await requestDuringChange(request, change);
    await restore();
    expect(status).toBe(401);
    expect((await query('SELECT 1 FROM sessions WHERE user_id = $1', [hamlet.id])).rowCount).toBe(0);
  });
});

describe('BrowserSessionService.createSession', () => {
  it('creates no session when the stored password differs from the verified password', async () => {
    const begin = chat.app
      .get(BrowserSessionService)
      .createSession({ userId: hamlet.id, passwordHash: 'a hash of before' });
    await expect(begin).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' });
    expect((await query('SELECT 1 FROM sessions WHERE user_id = $1', [hamlet.id])).rowCount).toBe(0);
  });
});
