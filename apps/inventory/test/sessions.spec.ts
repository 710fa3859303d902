import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Cookies = Record<string, string>;
interface Sent {
  readonly cookies?: Cookies;
  readonly headers?: Record<string, string>;
  readonly form?: Record<string, string>;
  readonly json?: unknown;
}

const password = 'Correct horse 1 battery';
const roles = '/api/ipam/roles/';

describe('browser sessions', () => {
  let test: TestInventory;
  let fastify: FastifyInstance;
  beforeAll(async () => {
    test = await startInventory();
    fastify = test.fastify;
  });
  afterAll(() => test.close());

  const send = async (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    { cookies = {}, headers, form, json }: Sent = {},
  ) => {
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
    const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
    const payload = form === undefined ? JSON.stringify(json) : new URLSearchParams(form).toString();
    const response = await fastify.inject({
      method,
      url,
      headers: {
        ...(cookie.length === 0 ? {} : { cookie: cookie.join('; ') }),
        ...(form === undefined && json === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(form === undefined && json === undefined ? {} : { payload }),
    });
    const lines = [response.headers['set-cookie'] ?? []].flat();
    const given = Object.fromEntries(response.cookies.map(({ name, value }) => [name, value]));
    return { status: response.statusCode, text: response.body, headers: response.headers, lines, given };
  };
  const logIn = async (username = 'root', secret = password, before: Cookies = {}) => {
    const page = await send('GET', '/login/', { cookies: before });
    const csrfmiddlewaretoken = page.given['csrftoken'] ?? '';
    const form = { username, password: secret, csrfmiddlewaretoken, next: roles };
    return send('POST', '/login/', { cookies: { ...before, csrftoken: csrfmiddlewaretoken }, form });
  };

  it('start with a password and have the permissions of the user', async () => {
    const page = await send('GET', '/login/?next=/api/dcim/');
    expect([page.status, page.headers['content-type'], page.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(page.text).toContain(`name="csrfmiddlewaretoken" value="${page.given['csrftoken'] ?? 'none'}"`);
    expect(page.text).toContain('name="next" value="/api/dcim/"');
    const { status, headers, lines, given } = await logIn();
    expect([status, headers['location']]).toEqual([302, roles]);
    expect(lines).toEqual([
      expect.stringMatching(/^sessionid=[0-9a-f]{48}; Path=\/; Max-Age=1209600; SameSite=Lax; HttpOnly$/),
      expect.stringMatching(/^csrftoken=[0-9a-f]{48}; Path=\/; Max-Age=1209600; SameSite=Lax$/),
    ]);
    const read = await send('GET', '/api/authentication-check/', { cookies: given });
    expect([read.status, JSON.parse(read.text)]).toMatchObject([200, { username: 'root' }]);
    const asPage = await send('GET', roles, { cookies: given, headers: { accept: 'text/html' } });
    expect([asPage.status, asPage.text.startsWith('<!doctype html>')]).toEqual([200, true]);
  });

  it.each(['%0A', '%3B%20Domain=example.com', 'short', ''])(
    'replace the CSRF cookie %j when the service did not set this cookie',
    async (csrftoken) => {
      const { status, lines } = await send('GET', '/login/', { cookies: { csrftoken } });
      expect(status).toBe(200);
      expect(lines).toEqual([
        expect.stringMatching(/^csrftoken=[0-9a-f]{48}; Path=\/; Max-Age=1209600; SameSite=Lax$/),
      ]);
    },
  );

  it('require their CSRF token for changes', async () => {
    const { given } = await logIn();
    const write = async (cookies: Cookies, headers: Record<string, string> = {}) => {
      const { status, text } = await send('POST', roles, { cookies, headers, json: { name: 'R', slug: 'r' } });
      return [status, JSON.parse(text).detail];
    };
    const { sessionid = '', csrftoken = '' } = given;
    expect(await write({ sessionid })).toEqual([403, 'CSRF Failed: CSRF cookie not set.']);
    expect(await write(given)).toEqual([403, 'CSRF Failed: CSRF token missing.']);
    const incorrect = "CSRF Failed: CSRF token from the 'X-Csrftoken' HTTP header incorrect.";
    expect(await write(given, { 'x-csrftoken': 'x' })).toEqual([403, incorrect]);
    // A cookie set by an attacker and repeated in the header is not the token of the session.
    expect(await write({ sessionid, csrftoken: 'planted' }, { 'x-csrftoken': 'planted' })).toEqual([403, incorrect]);
    expect(await write(given, { 'x-csrftoken': csrftoken, origin: 'https://elsewhere.example' })).toEqual([
      403,
      'CSRF Failed: Origin checking failed - https://elsewhere.example does not match any trusted origins.',
    ]);
    expect((await write(given, { 'x-csrftoken': csrftoken, origin: 'http://localhost' }))[0]).toBe(201);
    const { headers } = await test.api.get(roles);
    expect(headers['vary']).toContain('Cookie');
  });

  it('need no CSRF token if the request has an API token', async () => {
    const headers = { authorization: `Bearer ${test.adminToken}` };
    const { status } = await send('POST', roles, {
      cookies: { sessionid: 'unknown' },
      headers,
      json: { name: 'By token', slug: 'by-token' },
    });
    expect(status).toBe(201);
    expect((await send('GET', roles, { cookies: { sessionid: 'unknown' } })).status).toBe(403);
  });

  it('start only with the right password, an active user and the CSRF token of the login page', async () => {
    await test.api.post('/api/users/users/', {
      json: { username: 'inactive', password: 'Twelve chars 1', is_active: false },
    });
    for (const [username, secret] of [
      ['root', 'wrong'],
      ['nobody"><b>', password],
      ['inactive', 'Twelve chars 1'],
      ['a\0b', 'x'],
    ] as const) {
      const { status, text, given } = await logIn(username, secret);
      expect([username, status, given['sessionid']]).toEqual([username, 403, undefined]);
      expect(text).toContain('Please enter a correct username and password.');
      expect(text).not.toContain('<b>');
    }
    const form = { username: 'root', password };
    expect((await send('POST', '/login/', { form })).status).toBe(403);
    const cookies = { csrftoken: 'a' };
    expect((await send('POST', '/login/', { cookies, form })).status).toBe(403);
    expect((await send('POST', '/login/', { cookies, form: { ...form, csrfmiddlewaretoken: 'b' } })).status).toBe(403);
    expect((await send('POST', '/login/', { cookies, json: form })).status).toBe(415);
  });

  it('end when the logout button of API pages is used', async () => {
    const { given } = await logIn();
    const shown = await send('GET', '/api/users/users/', { cookies: given, headers: { accept: 'text/html' } });
    expect(shown.text).toContain('Log out');
    const token = /name="csrfmiddlewaretoken" value="([^"]+)"/.exec(shown.text)?.[1] ?? '';
    const left = await send('POST', '/logout/', { cookies: given, form: { csrfmiddlewaretoken: token } });
    expect([left.status, left.headers['location']]).toEqual([302, '/login/']);
    expect((await send('GET', '/api/users/users/', { cookies: given })).status).toBe(403);
  });

  it('do not redirect to another site', async () => {
    for (const next of ['https://elsewhere.example/', '//elsewhere.example', '/\\elsewhere.example', 'x', '/a\r\nb']) {
      const page = await send('GET', `/login/?next=${encodeURIComponent(next)}`);
      expect([next, page.text.includes('name="next" value="/api/"')]).toEqual([next, true]);
    }
  });

  it('end at logout, login, password change, deactivation and expiry', async () => {
    const { body: user } = await test.api.post<{ id: number }>('/api/users/users/', {
      json: { username: 'leaver', password: 'Twelve chars 1' },
    });
    const begun = async (secret: string, before: Cookies = {}) => (await logIn('leaver', secret, before)).given;
    const isOn = async (cookies: Cookies) =>
      (await send('GET', '/api/authentication-check/', { cookies })).status === 200;
    const first = await begun('Twelve chars 1');
    const unproven = await send('POST', '/logout/', { cookies: { sessionid: first['sessionid'] ?? '' } });
    expect([unproven.status, await isOn(first)]).toEqual([403, true]);
    const second = await begun('Twelve chars 1', { sessionid: first['sessionid'] ?? '' });
    expect([await isOn(first), await isOn(second)]).toEqual([false, true]);
    const left = await send('POST', '/logout/', {
      cookies: second,
      form: { csrfmiddlewaretoken: second['csrftoken'] ?? '' },
    });
    expect([left.status, left.headers['location'], left.lines.every((line) => line.includes('Max-Age=0'))]).toEqual([
      302,
      '/login/',
      true,
    ]);
    expect(await isOn(second)).toBe(false);

    const third = await begun('Twelve chars 1');
    await test.api.patch(`/api/users/users/${user.id}/`, { json: { password: 'Another 12 chars' } });
    expect(await isOn(third)).toBe(false);
    const fourth = await begun('Another 12 chars');
    await test.inventory.database.query(`UPDATE users_session SET expires = now() - interval '1 second'`);
    expect(await isOn(fourth)).toBe(false);
    const fifth = await begun('Another 12 chars');
    const { rows } = await test.inventory.database.query(`SELECT FROM users_session WHERE expires <= now()`);
    expect(rows).toEqual([]);
    await test.api.patch(`/api/users/users/${user.id}/`, { json: { is_active: false } });
    expect(await isOn(fifth)).toBe(false);
  });

  it('store only a digest of their id in the database', async () => {
    const { given } = await logIn();
    const { rows } = await test.inventory.database.query<{ digest: string }>('SELECT digest FROM users_session');
    expect(rows.map(({ digest }) => digest)).not.toContain(given['sessionid']);
    expect(rows.every(({ digest }) => /^[0-9a-f]{64}$/.test(digest))).toBe(true);
  });
});
