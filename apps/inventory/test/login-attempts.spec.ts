import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

const password = 'Correct horse 1 battery';
const provision = '/api/users/tokens/provision/';

let test: TestInventory;

beforeAll(async () => {
  test = await startInventory({
    LOGIN_FAILURES_PER_ACCOUNT: '3',
    LOGIN_FAILURES_PER_ADDRESS: '5',
    TRUST_PROXY: '1',
  });
});
afterEach(async () => {
  const { redis, config } = test.inventory;
  const keys = await redis.keys(`${config.REDIS_KEY_PREFIX}:login:*`);
  if (keys.length > 0) await redis.del(...keys);
});
afterAll(() => test.close());

const from = (ip: string): Record<string, string> => ({ 'x-forwarded-for': ip });

async function byApi(username: string, secret: string, ip = '192.0.2.1') {
  const { statusCode, headers, body } = await test.fastify.inject({
    method: 'POST',
    url: provision,
    headers: from(ip),
    payload: { username, password: secret },
  });
  return { status: statusCode, retryAfter: Number(headers['retry-after']), body };
}

async function byForm(username: string, secret: string, ip = '192.0.2.1') {
  const { statusCode, headers, body } = await test.fastify.inject({
    method: 'POST',
    url: '/login/',
    headers: { ...from(ip), cookie: 'csrftoken=t', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ username, password: secret, csrfmiddlewaretoken: 't' }).toString(),
  });
  return { status: statusCode, retryAfter: Number(headers['retry-after']), body };
}

/** Sends login requests one after another, and returns the HTTP status of each response. */
async function statuses(logins: readonly (() => Promise<{ status: number }>)[]): Promise<number[]> {
  const all: number[] = [];
  for (const login of logins) all.push((await login()).status);
  return all;
}

describe.each([
  ['POST /api/users/tokens/provision/', byApi, 201],
  ['POST /login/', byForm, 302],
])('login attempts by %s', (_name, login, success) => {
  it('responds 429 with Retry-After after too many failed logins of an account, also to the right password', async () => {
    const wrong = [1, 2, 3].map((n) => () => login('root', 'wrong', `192.0.2.${n}`));
    expect(await statuses(wrong)).toEqual([403, 403, 403]);
    const refused = await login('root', password, '192.0.2.9');
    expect(refused.status).toBe(429);
    expect(refused.retryAfter).toBeGreaterThan(800);
    expect(refused.retryAfter).toBeLessThanOrEqual(900);
    expect(refused.body).toContain(`Request was throttled. Expected available in ${refused.retryAfter} seconds.`);
    expect((await login('other', 'wrong')).status).toBe(403);
  });

  it('counts failed logins of an unknown name as one account, regardless of letter case', async () => {
    const wrong = ['nobody', 'Nobody', 'NOBODY'].map((name) => () => login(name, 'wrong'));
    expect(await statuses([...wrong, () => login('nobody', 'wrong')])).toEqual([403, 403, 403, 429]);
  });

  it('responds 429 after too many failed logins from an address or a /64 network of IPv6', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const logins = names.map((name, n) => () => login(name, 'wrong', `2001:db8::${n + 1}`));
    expect(await statuses([...logins, () => login('root', password, '2001:db8::ff')])).toEqual([
      403, 403, 403, 403, 403, 429,
    ]);
    expect((await login('root', password, '2001:db8:0:1::1')).status).toBe(success);
  });

  it('counts attempts with forged X-Forwarded-For addresses against the real address that the proxy appended', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const logins = names.map((name, n) => () => login(name, 'wrong', `203.0.113.${n}, 192.0.2.1`));
    expect(await statuses([...logins, () => login('root', password, '198.51.100.1, 192.0.2.1')])).toEqual([
      403, 403, 403, 403, 403, 429,
    ]);
    expect((await login('root', password, '203.0.113.0, 192.0.2.2')).status).toBe(success);
  });

  it('does not count successful logins', async () => {
    const right = Array.from({ length: 8 }, () => () => login('root', password));
    expect(await statuses(right)).toEqual(right.map(() => success));
  });

  it('admits no more failed logins than the limit under concurrent requests', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => login('root', 'wrong')));
    expect(all.filter(({ status }) => status === 403)).toHaveLength(3);
    expect(all.filter(({ status }) => status === 429)).toHaveLength(9);
  });
});

describe('failed logins on the login page and in the API', () => {
  it('count together towards one limit', async () => {
    const wrong = [byApi, byForm, byApi].map((login) => () => login('root', 'wrong'));
    expect(await statuses([...wrong, () => byForm('root', password)])).toEqual([403, 403, 403, 429]);
  });
});
