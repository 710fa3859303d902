import { type Clock, systemClock } from '@switchboard/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setAccountRateLimits } from '../../app/admin/accounts.js';
import { readChatServiceConfig } from '../../app/environment.js';
import { demoPassword } from '../../app/demo/index.js';
import {
  getLoginAttemptCounterKey,
  parseRateLimitRules,
  getRateLimitRules,
  productionDefaultRateLimitRules,
} from './index.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';

let cluster: ChatCluster;
/** A chat process without rate limits, as in development. */
let free: ChatProcess;
/** Two chat processes that share one set of rate limits. */
let one: ChatProcess;
let two: ChatProcess;

const limits = {
  RATE_LIMIT_API_BY_USER: '600:5',
  RATE_LIMIT_API_BY_IP: '600:3',
  RATE_LIMIT_AUTHENTICATE_BY_USERNAME: '600:2',
};

/**
 * Test clock that makes the rate limiter wait a minute for Redis instead of 1 s. All requests are then counted even on
 * a busy machine.
 */
const patientClock: Clock = {
  ...systemClock,
  setTimeout: (run, delayMs) => systemClock.setTimeout(run, delayMs === 1_000 ? 60_000 : delayMs),
};

const start = (env: Record<string, string>) => cluster.start(env, patientClock);

beforeAll(async () => {
  cluster = await chatCluster();
  free = await cluster.start();
  one = await start(limits);
  two = await start(limits);
});
afterAll(() => cluster.stop());

interface Refusal {
  code: string;
  msg: string;
  'retry-after': number;
}

/** Returns a test client of the given account that sends requests to the given process. */
function clientAtProcess(process: ChatProcess, user: DemoUser) {
  return process.client.withHeaders(createBasicAuthorization(user.email, user.apiKey));
}

/**
 * Simulates the passage of time for an account's rate limit: moves the times of the counted requests in Redis into the
 * past.
 */
async function letTimePass({ runtime }: ChatProcess, user: DemoUser, windowSeconds: number, timeMs: number) {
  const key = `${runtime.config.REDIS_KEY_PREFIX}:rate:{API_BY_USER:${user.id}}:${windowSeconds}`;
  const times = await runtime.redis.lrange(key, 0, -1);
  expect(times).not.toEqual([]);
  await Promise.all(times.map((time, index) => runtime.redis.lset(key, index, String(Number(time) - timeMs))));
}

describe('rate limit settings', () => {
  it('default to the values of the contract, in production only', () => {
    expect(productionDefaultRateLimitRules).toEqual({
      API_BY_USER: '60:200',
      API_BY_IP: '60:100',
      AUTHENTICATE_BY_USERNAME: '1800:5',
      EMAIL_CHANGE_BY_USER: '3600:2,86400:5',
      EMAIL_BY_IP: '86400:5',
      PASSWORD_RESET_BY_EMAIL: '3600:2,86400:5',
      SPECTATOR_ATTACHMENT_BY_FILE: '86400:1000',
      WEBHOOK_NOTICE_BY_BOT: '60:1',
      CHANNEL_MAIL_BY_REALM: '60:50,300:120,3600:600',
    });
    const production = { NODE_ENV: 'production' };
    expect(getRateLimitRules(production, 'API_BY_USER')).toEqual([{ windowSeconds: 60, max: 200 }]);
    expect(getRateLimitRules({ ...production, RATE_LIMIT_API_BY_USER: 'off' }, 'API_BY_USER')).toEqual([]);
    expect(getRateLimitRules(readChatServiceConfig({ NODE_ENV: 'development' }), 'API_BY_USER')).toEqual([]);
    expect(
      getRateLimitRules(readChatServiceConfig({ RATE_LIMIT_API_BY_USER: '1:2,60:30' }), 'API_BY_USER'),
    ).toHaveLength(2);
  });

  it.each(['60', '60:', '0:5', '60:0', '60:5,', 'none', '60:-1', '1e3:5'])(
    'reject the rules %j at startup',
    (rules) => {
      expect(parseRateLimitRules(rules)).toBeNull();
      expect(() => readChatServiceConfig({ RATE_LIMIT_API_BY_IP: rules })).toThrow('RATE_LIMIT_API_BY_IP');
    },
  );

  it('combine two rules of the same period, so that no request is counted twice', () => {
    expect(parseRateLimitRules('60:9,3600:20,60:5')).toEqual([
      { windowSeconds: 60, max: 5 },
      { windowSeconds: 3600, max: 20 },
    ]);
  });

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:0:1:aaaa::5', '2001:db8:0:1::/64'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('count a request from the IP address %s under the key %s', (ip, counted) => {
    expect(getLoginAttemptCounterKey(ip)).toBe(counted);
  });
});

describe('rate limit of an account', () => {
  it('appears in response headers and applies across processes', async () => {
    const iago = await signIn(free, 'iago');
    const remaining: unknown[] = [];
    for (const process of [one, two, one, two, one]) {
      const { status, headers } = await clientAtProcess(process, iago).get('/api/v1/users/me');
      expect(status).toBe(200);
      expect(headers['x-ratelimit-limit']).toBe('5');
      expect(headers['ratelimit-policy']).toBe('"user-600s";q=5;w=600');
      remaining.push(headers['x-ratelimit-remaining']);
    }
    expect(remaining).toEqual(['4', '3', '2', '1', '0']);
    const refused = await clientAtProcess(two, iago).get<Refusal>('/api/v1/users/me');
    expect(refused.status).toBe(429);
    const wait = refused.body['retry-after'];
    expect(refused.body).toEqual({
      result: 'error',
      msg: 'API usage exceeded rate limit',
      code: 'RATE_LIMIT_HIT',
      'retry-after': wait,
    });
    expect(wait).toBeGreaterThan(580);
    expect(wait).toBeLessThanOrEqual(600);
    expect(refused.headers['retry-after']).toBe(String(Math.ceil(wait)));
    expect(refused.headers['x-ratelimit-remaining']).toBe('0');
    expect(refused.headers['ratelimit']).toBe(`"user-600s";r=0;t=${Math.ceil(wait)}`);
    const resets = Number(refused.headers['x-ratelimit-reset']) - Date.now() / 1000;
    expect(resets).toBeGreaterThan(580);
    expect(resets).toBeLessThan(605);
  });

  it('does not count requests of other accounts, and counts polls separately', async () => {
    const cordelia = await signIn(free, 'cordelia');
    const othello = await signIn(free, 'othello');
    const client = clientAtProcess(one, cordelia);
    const { body } = await client.post<{ queue_id: string }>('/api/v1/register', { form: {} });
    const poll = { query: { queue_id: body.queue_id, last_event_id: -1, dont_block: true } };
    for (let count = 0; count < 5; count += 1) expect((await client.get('/api/v1/events', poll)).status).toBe(200);
    const refused = await client.get('/api/v1/events', poll);
    expect(refused.status).toBe(429);
    expect(refused.headers['ratelimit-policy']).toBe('"events-600s";q=5;w=600');
    expect((await client.get('/api/v1/users/me')).headers['x-ratelimit-remaining']).toBe('3');
    expect((await clientAtProcess(one, othello).get('/api/v1/users/me')).headers['x-ratelimit-remaining']).toBe('4');
  });

  it('accepts requests again after its period, and does not count rejected requests', async () => {
    const strict = await start({ RATE_LIMIT_API_BY_USER: '600:1' });
    const user = await signIn(free, 'ZOE');
    const zoe = clientAtProcess(strict, user);
    expect((await zoe.get('/api/v1/users/me')).status).toBe(200);
    const refused = await zoe.get<Refusal>('/api/v1/users/me');
    expect(refused.status).toBe(429);
    await zoe.get('/api/v1/users/me');
    await letTimePass(strict, user, 600, refused.body['retry-after'] * 1000);
    expect((await zoe.get('/api/v1/users/me')).status).toBe(200);
  });

  it('enforces every rule, and reports the rule with the fewest remaining requests', async () => {
    const both = await start({ RATE_LIMIT_API_BY_USER: '600:2,3000:3' });
    const user = await signIn(free, 'shiva');
    const shiva = clientAtProcess(both, user);
    const first = await shiva.get('/api/v1/users/me');
    expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
    expect(first.headers['ratelimit-policy']).toBe('"user-600s";q=2;w=600, "user-3000s";q=3;w=3000');
    expect(first.headers['ratelimit']).toBe('"user-600s";r=1;t=600, "user-3000s";r=2;t=3000');
    await shiva.get('/api/v1/users/me');
    expect((await shiva.get<Refusal>('/api/v1/users/me')).body['retry-after']).toBeLessThanOrEqual(600);
    await letTimePass(both, user, 600, 600_000);
    expect((await shiva.get('/api/v1/users/me')).headers).toMatchObject({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
    });
    const last = await shiva.get<Refusal>('/api/v1/users/me');
    expect(last.body['retry-after']).toBeGreaterThan(2900);
    expect(last.headers['ratelimit']).toMatch(/^"user-600s";r=1;t=[56]\d\d, "user-3000s";r=0;t=[23]\d\d\d$/);
  });

  it('follows the rules that the operator sets for a single account', async () => {
    const prospero = await signIn(free, 'prospero');
    const account = { realm: undefined, email: prospero.email };
    await setAccountRateLimits(one.runtime, { ...account, rules: '60:7' });
    const limited = await clientAtProcess(one, prospero).get('/api/v1/users/me');
    expect(limited.headers).toMatchObject({ 'x-ratelimit-limit': '7', 'x-ratelimit-remaining': '6' });
    expect(limited.headers['ratelimit-policy']).toBe('"user-60s";q=7;w=60');
    await setAccountRateLimits(one.runtime, { ...account, rules: 'off' });
    expect((await clientAtProcess(one, prospero).get('/api/v1/users/me')).headers['x-ratelimit-limit']).toBeUndefined();
    await expect(setAccountRateLimits(one.runtime, { ...account, rules: 'many' })).rejects.toThrow('--rules');
  });

  it('does not apply in development by default', async () => {
    const { headers } = await (await signIn(free, 'hamlet')).client.get('/api/v1/users/me');
    expect(headers['x-ratelimit-limit']).toBeUndefined();
    expect(headers['ratelimit']).toBeUndefined();
    expect(headers['ratelimit-policy']).toBeUndefined();
  });
});

describe('rate limits of requests without an account', () => {
  it('count requests by IP address, with or without invalid credentials', async () => {
    const strict = await start({ RATE_LIMIT_API_BY_IP: '600:4' });
    const statuses: number[] = [];
    const bad = strict.client.withHeaders(createBasicAuthorization('hamlet@example.com', 'x'.repeat(32)));
    statuses.push((await strict.client.get('/api/v1/server_settings')).status);
    statuses.push((await bad.get('/api/v1/users/me')).status);
    statuses.push((await strict.client.get('/api/v1/users/me')).status);
    statuses.push((await bad.get('/api/v1/users/me')).status);
    const refused = await bad.get<Refusal>('/api/v1/users/me');
    expect([...statuses, refused.status]).toEqual([200, 401, 401, 401, 429]);
    expect(refused.body.code).toBe('RATE_LIMIT_HIT');
    expect(refused.headers).toMatchObject({
      'ratelimit-policy': '"address-600s";q=4;w=600',
      ratelimit: `"address-600s";r=0;t=${refused.headers['retry-after']}`,
    });
  });

  it('limit password attempts per account, and count each attempt before the password is checked', async () => {
    const strict = await start({ RATE_LIMIT_AUTHENTICATE_BY_USERNAME: '600:2' });
    const attempt = (username: string, password: string, host = 'localhost') =>
      strict.client.post<Refusal>('/api/v1/fetch_api_key', { form: { username, password }, headers: { host } });
    expect((await attempt('hamlet@example.com', 'a guess')).status).toBe(401);
    expect((await attempt('HAMLET@example.com', demoPassword)).status).toBe(200);
    const refused = await attempt('hamlet@example.com', demoPassword);
    expect(refused.status).toBe(429);
    expect(refused.body['retry-after']).toBeGreaterThan(500);
    expect((await attempt('hamlet@example.com', demoPassword, 'other.example.com')).status).toBe(429);
    expect((await attempt('desdemona@example.com', demoPassword)).status).toBe(200);
  });
});

describe('rate limits without Redis', () => {
  it('accept all requests', async () => {
    const limited = await cluster.start({ RATE_LIMIT_API_BY_USER: '600:1' });
    const desdemona = clientAtProcess(limited, await signIn(free, 'desdemona'));
    limited.runtime.redis.disconnect();
    for (let count = 0; count < 3; count += 1) {
      const { status, headers } = await desdemona.get('/api/v1/users/me');
      expect(status).toBe(200);
      expect(headers['x-ratelimit-limit']).toBeUndefined();
    }
  });
});
