import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetPassword } from '../../app/admin/accounts.js';
import { demoPassword } from '../../app/demo/index.js';
import { closeChatProcessRuntime, createChatProcessRuntime } from '../../app/runtime.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
});
afterAll(() => cluster.stop());

type Headers = Record<string, string | string[] | number | undefined>;

interface Browser {
  readonly cookie: string;
  readonly csrf: string;
}

interface ResponseBody {
  result: string;
  code: string;
  reason: string;
  full_name: string;
}

function cookiesOf(headers: Headers): Record<string, string> {
  const lines = [headers['set-cookie'] ?? []].flat().map(String);
  return Object.fromEntries(lines.map((line) => (line.split(';', 1)[0] ?? '').split('=')));
}

function browserOf(headers: Headers): Browser {
  const { sessionid = '', csrftoken = '' } = cookiesOf(headers);
  return { cookie: `sessionid=${sessionid}; csrftoken=${csrftoken}`, csrf: csrftoken };
}

/** Returns a browser that is signed in to a demo account without a password. */
async function browse(name: string): Promise<Browser> {
  const response = await chat.client.post('/api/v1/dev_fetch_api_key', { query: { username: `${name}@example.com` } });
  return browserOf(response.headers);
}

function me(browser: Browser, process = chat) {
  return process.client.get<ResponseBody>('/json/users/me', { headers: { cookie: browser.cookie }, unchecked: true });
}

function setStatus(headers: Record<string, string>, form: Record<string, string> = {}) {
  return chat.client.post<ResponseBody>('/json/users/me/subscriptions', {
    headers,
    form: { subscriptions: '[{"name":"Verona"}]', ...form },
    unchecked: true,
  });
}

describe('requests to /json', () => {
  it('use the handlers of /api/v1 with a browser session, in every process', async () => {
    const other = await cluster.start();
    const hamlet = await browse('hamlet');
    for (const process of [chat, other]) {
      const { status, body, headers } = await me(hamlet, process);
      expect({ status, body }).toMatchObject({ status: 200, body: { result: 'success', full_name: 'King Hamlet' } });
      expect(headers['cache-control']).toContain('no-store');
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('require a session and accept no API key instead', async () => {
    const { apiKey, email } = await signIn(chat, 'iago');
    for (const headers of [{}, createBasicAuthorization(email, apiKey), { cookie: 'sessionid=made-up' }]) {
      const response = await chat.client.get<ResponseBody>('/json/users/me', { headers, unchecked: true });
      expect(response.status).toBe(401);
      expect(response.body.code).toBe('UNAUTHORIZED');
      expect(response.headers['www-authenticate']).toBe('Session realm="zulip"');
    }
  });

  it('respond 404 to unknown paths and 405 to wrong methods', async () => {
    const { cookie } = await browse('hamlet');
    const unknown = await chat.client.get<ResponseBody>('/json/nothing', { headers: { cookie }, unchecked: true });
    expect({ status: unknown.status, code: unknown.body.code }).toEqual({ status: 404, code: 'BAD_REQUEST' });
    const wrong = await chat.client.put<ResponseBody>('/json/messages', { headers: { cookie }, unchecked: true });
    expect(wrong.status).toBe(405);
  });

  it('reject changes without the CSRF token in a header or field', async () => {
    const { cookie, csrf } = await browse('hamlet');
    const own = cookie.split(';')[0] ?? '';
    const refusals: [Record<string, string>, string][] = [
      [{ cookie: own }, 'CSRF cookie not set.'],
      [{ cookie }, 'CSRF token missing.'],
      [{ cookie, 'x-csrftoken': 'x'.repeat(48) }, 'CSRF token incorrect.'],
      // A cookie that another site planted does not replace the session's own token.
      [{ cookie: `${own}; csrftoken=planted`, 'x-csrftoken': 'planted' }, 'CSRF token incorrect.'],
    ];
    for (const [headers, reason] of refusals) {
      const { status, body } = await setStatus(headers);
      expect({ status, body }).toEqual({
        status: 403,
        body: { result: 'error', msg: `CSRF error: ${reason}`, code: 'CSRF_FAILED', reason },
      });
    }
    expect((await setStatus({ cookie, 'x-csrftoken': csrf })).status).toBe(200);
    const byField = await setStatus({ cookie }, { csrfmiddlewaretoken: csrf });
    expect(byField).toMatchObject({ status: 200, body: { result: 'success' } });
    expect(byField.body).not.toHaveProperty('ignored_parameters_unsupported');
  });

  it('accept the session when a form field overrides the method', async () => {
    const { cookie, csrf } = await browse('othello');
    const form = { method: 'DELETE', subscriptions: '["Verona"]' };
    const path = '/json/users/me/subscriptions';
    const refused = await chat.client.post(path, { headers: { cookie }, form, unchecked: true });
    expect(refused.status).toBe(403);
    const headers = { cookie, 'x-csrftoken': csrf };
    expect((await chat.client.post<ResponseBody>(path, { headers, form, unchecked: true })).body.result).toBe(
      'success',
    );
  });

  it('return the API key when the password is repeated', async () => {
    const { cookie, csrf } = await browse('hamlet');
    const headers = { cookie, 'x-csrftoken': csrf };
    const ask = (password: string) => chat.client.post('/json/fetch_api_key', { headers, form: { password } });
    const { apiKey, email, id } = await signIn(chat, 'hamlet');
    expect((await ask(demoPassword)).body).toMatchObject({ api_key: apiKey, email, user_id: id });
    expect(await ask('wrong')).toMatchObject({ status: 401, body: { code: 'AUTHENTICATION_FAILED' } });
    expect((await chat.client.post('/json/fetch_api_key', { form: { password: demoPassword } })).status).toBe(403);
  });

  it('accept session cookies, unlike /api/v1, which responds 401', async () => {
    const { cookie } = await browse('hamlet');
    const { status, headers } = await chat.client.get('/api/v1/users/me', { headers: { cookie } });
    expect(status).toBe(401);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });
});

describe('GET /user_avatars and /user_uploads', () => {
  it('require a session, an API key or an api_key parameter', async () => {
    const { cookie } = await browse('hamlet');
    const { apiKey, email, id } = await signIn(chat, 'iago');
    const path = `/avatar/${id}`;
    const ways: { headers?: Record<string, string>; query?: Record<string, string> }[] = [
      { headers: { cookie } },
      { headers: createBasicAuthorization(email, apiKey) },
      { query: { api_key: apiKey } },
    ];
    for (const way of ways) {
      const { status, headers } = await chat.client.get(path, { ...way, unchecked: true });
      expect({ status, location: String(headers['location']) }).toEqual({
        status: 302,
        location: expect.stringMatching(/^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?/),
      });
    }
    const medium = await chat.client.get(`/avatar/${email}/medium`, {
      headers: createBasicAuthorization(email, apiKey),
    });
    expect(String(medium.headers['location'])).toContain('&s=500');
    expect((await chat.client.get(path)).status).toBe(401);
    expect((await chat.client.get(path, { query: { api_key: 'x'.repeat(32) }, unchecked: true })).status).toBe(401);
    expect((await chat.client.get('/avatar/999999', { headers: createBasicAuthorization(email, apiKey) })).status).toBe(
      400,
    );
  });
});

describe('POST /accounts/login', () => {
  const submit = (form: Record<string, string>, cookie: string) =>
    chat.client.post<ResponseBody>('/accounts/login/', { form, headers: { cookie }, unchecked: true });

  async function openPage(next = '/somewhere'): Promise<{ csrf: string; text: string; headers: Headers }> {
    const { status, text, headers } = await chat.client.get('/accounts/login/', { query: { next }, unchecked: true });
    expect(status).toBe(200);
    return { csrf: cookiesOf(headers)['csrftoken'] ?? '', text, headers };
  }

  it('starts a browser session with HttpOnly and SameSite cookies', async () => {
    const page = await openPage('/a?b=1&c="');
    expect(page.text).toContain('value="/a?b=1&amp;c=&quot;"');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const form = { username: 'hamlet@example.com', password: demoPassword, next: '/a', csrfmiddlewaretoken: page.csrf };
    const { status, headers } = await submit(form, `csrftoken=${page.csrf}`);
    expect({ status, location: headers['location'] }).toEqual({ status: 303, location: '/a' });
    const [session = '', csrf = ''] = [headers['set-cookie'] ?? []].flat().map(String);
    expect(session).toMatch(/^sessionid=[0-9a-f]{48}; Path=\/; SameSite=Lax; Max-Age=1209600; HttpOnly$/);
    expect(csrf).toMatch(/^csrftoken=[0-9a-f]{48}; Path=\/; SameSite=Lax; Max-Age=1209600$/);
    expect(csrf).not.toContain(page.csrf);
    const browser = browserOf(headers);
    expect((await me(browser)).status).toBe(200);
    const again = await chat.client.get('/accounts/login/', { headers: { cookie: browser.cookie }, unchecked: true });
    expect(again.text).toContain('signed in as hamlet@example.com');
  });

  it('rejects a wrong password and cross-site forms', async () => {
    const { csrf } = await openPage();
    const wrong = { username: 'hamlet@example.com', password: '<wrong>', csrfmiddlewaretoken: csrf };
    const refused = await submit(wrong, `csrftoken=${csrf}`);
    expect(refused.status).toBe(401);
    expect(refused.text).toContain('Your username or password is incorrect');
    expect(refused.headers['set-cookie']).toBeUndefined();
    const foreign = await submit({ username: 'hamlet@example.com', password: demoPassword }, `csrftoken=${csrf}`);
    expect(foreign).toMatchObject({ status: 403, body: { code: 'CSRF_FAILED' } });
  });

  it.each(['//evil.test', 'https://evil.test', '/\\evil.test', 'javascript:alert(1)'])(
    'does not redirect to the URL %s',
    async (next) => {
      const { csrf } = await openPage();
      const form = { username: 'hamlet@example.com', password: demoPassword, next, csrfmiddlewaretoken: csrf };
      expect((await submit(form, `csrftoken=${csrf}`)).headers['location']).toBe('/accounts/login/');
    },
  );

  it('starts a session that ends with the logout, in every process', async () => {
    const other = await cluster.start();
    const browser = await browse('cordelia');
    expect((await me(browser, other)).status).toBe(200);
    const { cookie } = browser;
    const leave = (headers: Record<string, string>) => chat.client.post('/logout/', { headers, unchecked: true });
    expect((await leave({ cookie })).status).toBe(403);
    const left = await leave({ cookie, 'x-csrftoken': browser.csrf });
    expect({ status: left.status, location: left.headers['location'] }).toEqual({
      status: 303,
      location: '/accounts/login/',
    });
    expect(String(left.headers['set-cookie'])).toContain('sessionid=; Path=/; SameSite=Lax; Max-Age=0; HttpOnly');
    expect((await me(browser)).status).toBe(401);
    await expect.poll(async () => (await me(browser, other)).status).toBe(401);
  });

  it('starts a session that ends at the next login, at its expiry, and when the account is deactivated', async () => {
    const first = await browse('prospero');
    const page = await openPage();
    const form = { username: 'prospero@example.com', password: demoPassword, csrfmiddlewaretoken: first.csrf };
    const second = browserOf((await submit(form, first.cookie)).headers);
    expect(page.csrf).not.toBe('');
    expect((await me(first)).status).toBe(401);
    expect((await me(second)).status).toBe(200);
    const brief = await cluster.start({ SESSION_SECONDS: '60' });
    const { headers } = await brief.client.post('/api/v1/dev_fetch_api_key', { form: { username: 'zoe@example.com' } });
    expect(String(headers['set-cookie'])).toContain('Max-Age=60');
    await chat.runtime.database.query(
      `UPDATE sessions SET expires_at = now() - interval '1 second' WHERE expires_at < now() + '1 hour'`,
    );
    expect((await me(browserOf(headers))).status).toBe(401);
    const desdemona: DemoUser = await signIn(chat, 'desdemona');
    const { id } = await signIn(chat, 'prospero');
    expect((await desdemona.client.delete(`/api/v1/users/${id}`)).status).toBe(200);
    expect((await me(second)).status).toBe(401);
  });

  const passwordChanges: [by: string, change: (browser: Browser) => Promise<void>][] = [
    [
      'PATCH /settings',
      async ({ cookie, csrf }) => {
        const form = { old_password: demoPassword, new_password: 'another long password' };
        const headers = { cookie, 'x-csrftoken': csrf };
        const { body } = await chat.client.patch<ResponseBody>('/json/settings', { headers, form, unchecked: true });
        expect(body.result).toBe('success');
      },
    ],
    [
      'the command reset-password',
      async () => {
        const { config, logger } = chat.runtime;
        const command = createChatProcessRuntime(config, logger);
        await resetPassword(command, { realm: undefined, email: 'aaron@example.com', password: undefined });
        await closeChatProcessRuntime(command);
      },
    ],
  ];
  it.each(passwordChanges)(
    'starts a session that ends immediately in every process when %s changes the password',
    async (_by, change) => {
      const other = await cluster.start();
      const browser = await browse('aaron');
      const thief = await browse('aaron');
      const { apiKey, email } = await signIn(chat, 'aaron');
      for (const process of [chat, other]) expect((await me(thief, process)).status).toBe(200);
      const headers = { cookie: thief.cookie, 'x-csrftoken': thief.csrf };
      const registered = await other.client.post<{ queue_id: string }>('/json/register', { headers, unchecked: true });
      const query = { queue_id: registered.body.queue_id, last_event_id: -1 };
      const polled = other.client.get('/json/events', { headers, query, unchecked: true });
      await expect.poll(() => other.runtime.eventLog.metrics().waiters).toBe(1);
      await change(browser);
      expect((await me(thief)).status).toBe(401);
      await expect.poll(async () => (await me(thief, other)).status).toBe(401);
      expect(await polled).toMatchObject({ status: 200, body: { events: [] } });
      expect((await other.client.get('/json/events', { headers, query, unchecked: true })).status).toBe(401);
      // The API key is another credential and remains valid, as in the reference.
      expect(
        (await chat.client.get('/api/v1/users/me', { headers: createBasicAuthorization(email, apiKey) })).status,
      ).toBe(200);
    },
  );

  it('stores only a digest of the session token in the database', async () => {
    const { cookie } = await browse('hamlet');
    const token = /sessionid=([0-9a-f]+)/.exec(cookie)?.[1] ?? '';
    const { rows } = await chat.runtime.database.query<{ row: string }>('SELECT sessions::text AS row FROM sessions');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some(({ row }) => row.includes(token))).toBe(false);
  });

  it('sets Secure cookies if the browser uses TLS', async () => {
    const behind = await cluster.start({ TRUST_PROXY: '1' });
    const { headers } = await behind.client.post('/api/v1/dev_fetch_api_key', {
      form: { username: 'hamlet@example.com' },
      headers: { 'x-forwarded-proto': 'https' },
    });
    expect(String(headers['set-cookie'])).toMatch(/sessionid=.*; HttpOnly; Secure/);
  });
});
