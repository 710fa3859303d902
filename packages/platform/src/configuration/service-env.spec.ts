import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeEnv } from './describe-env.js';
import { parseEnv } from './parse-env.js';
import { platformEnv } from './platform-env.js';
import { requireCurrentPepper } from './require-current-pepper.js';
import { serviceEnv } from './service-env.js';

const ordersEnv = serviceEnv({
  name: 'orders',
  port: 7000,
  redisUrl: z.string().startsWith('redis', 'must name a Redis'),
  sealed: 'card numbers',
  digested: 'voucher',
});

const goodKey = `new:${randomBytes(32).toString('base64')}`;
const goodPepper = `2:${randomBytes(32).toString('base64url')}`;

describe('serviceEnv', () => {
  it('derives the database and the Redis prefix from the service name by default', () => {
    expect(parseEnv(ordersEnv, {})).toMatchObject({
      PORT: 7000,
      DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/orders',
      REDIS_KEY_PREFIX: 'orders',
    });
    expect(parseEnv(ordersEnv, { REDIS_KEY_PREFIX: 'a', PORT: '0' })).toMatchObject({ REDIS_KEY_PREFIX: 'a', PORT: 0 });
  });

  it('rejects an invalid Redis URL, naming its variable', () => {
    expect(() => parseEnv(ordersEnv, { REDIS_URL: 'http://cache' })).toThrow(/REDIS_URL: must name a Redis/);
  });

  it('parses keys and peppers as pairs, in order', () => {
    const secrets = { SECRET_ENCRYPTION_KEYS: 'k2:bb==, k1:aa==', SECRET_PEPPERS: '1:x:y' };
    expect(parseEnv(ordersEnv, secrets)).toMatchObject({
      SECRET_ENCRYPTION_KEYS: [
        ['k2', 'bb=='],
        ['k1', 'aa=='],
      ],
      SECRET_PEPPERS: [['1', 'x:y']],
    });
    for (const bad of ['k1', 'k1:', ':aa', 'k1:aa,']) {
      expect(() => parseEnv(ordersEnv, { SECRET_PEPPERS: bad })).toThrow(/SECRET_PEPPERS: must read id:value,id:value/);
    }
  });

  it.each([
    ['a key of zeros', { SECRET_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}` }, /"k1" is one byte/],
    ['a key whose text is one letter', { SECRET_ENCRYPTION_KEYS: `k1:${'Z'.repeat(43)}=` }, /"k1" is one byte/],
    ['one weak key among others', { SECRET_ENCRYPTION_KEYS: `${goodKey},old:${'A'.repeat(43)}=` }, /"old" is one byte/],
    ['a pepper of one letter', { SECRET_PEPPERS: `1:${'x'.repeat(40)}` }, /"1" is one byte/],
    [
      'the key of development',
      { SECRET_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 'development').toString('base64')}` },
      /"k1" is the public value of development/,
    ],
  ])('rejects %s in production, and accepts it in development', (_, weak, problem) => {
    const env = { SECRET_ENCRYPTION_KEYS: goodKey, SECRET_PEPPERS: goodPepper, ...weak };
    expect(() => parseEnv(ordersEnv, { ...env, NODE_ENV: 'production' })).toThrow(problem);
    expect(() => parseEnv(ordersEnv, env)).not.toThrow();
    const good = { SECRET_ENCRYPTION_KEYS: goodKey, SECRET_PEPPERS: goodPepper, NODE_ENV: 'production' };
    expect(() => parseEnv(ordersEnv, good)).not.toThrow();
  });

  it('requires the secrets of the service in production, and never shows them', () => {
    expect(() => parseEnv(ordersEnv, { NODE_ENV: 'production' })).toThrow(/SECRET_ENCRYPTION_KEYS[^]*SECRET_PEPPERS/);
    const own = describeEnv(ordersEnv).slice(Object.keys(platformEnv.shape).length);
    expect(own.filter(({ secret }) => secret).map(({ name }) => name)).toEqual([
      'DATABASE_URL',
      'MIGRATION_DATABASE_URL',
      'REDIS_URL',
      'SECRET_ENCRYPTION_KEYS',
      'SECRET_PEPPERS',
    ]);
    expect(own.map((variable) => variable.description).join()).toMatch(/orders service.*card numbers.*voucher digests/);
  });

  it('accepts a number of processes or auto', () => {
    expect(parseEnv(ordersEnv, {}).PROCESSES).toBe(1);
    expect(parseEnv(ordersEnv, { PROCESSES: '12' }).PROCESSES).toBe(12);
    expect(parseEnv(ordersEnv, { PROCESSES: 'auto' }).PROCESSES).toBe('auto');
    for (const bad of ['0', '-1', '1.5', '1000', 'all']) {
      expect(() => parseEnv(ordersEnv, { PROCESSES: bad })).toThrow(/PROCESSES: must be auto, or a whole number/);
    }
  });
});

describe('requireCurrentPepper', () => {
  const read = (current?: string) =>
    requireCurrentPepper(parseEnv(ordersEnv, { SECRET_PEPPERS: goodPepper, SECRET_PEPPER_CURRENT: current }));

  it('rejects a number without a pepper, naming those that exist', () => {
    expect(() => read('1')).toThrow('SECRET_PEPPER_CURRENT: is 1, but SECRET_PEPPERS has only: 2');
  });

  it('accepts the number of a pepper, and no number', () => {
    expect([read('2').SECRET_PEPPER_CURRENT, read().SECRET_PEPPER_CURRENT]).toEqual([2, undefined]);
  });
});
