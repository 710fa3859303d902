import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeEnvironmentVariables } from './describe-environment-variables.js';
import { parseEnvironmentValues } from './parse-environment.js';
import { platformEnvironmentSchema } from './platform-environment.js';
import { requireCurrentPepper } from './require-current-pepper.js';
import { createServiceEnvironmentSchema } from './service-environment.js';

const ordersEnv = createServiceEnvironmentSchema({
  name: 'orders',
  port: 7000,
  redisUrl: z.string().startsWith('redis', 'must name a Redis'),
  sealed: 'card numbers',
  digested: 'voucher',
});

const goodKey = `new:${randomBytes(32).toString('base64')}`;
const goodPepper = `2:${randomBytes(32).toString('base64url')}`;

describe('createServiceEnvironmentSchema', () => {
  it('derives the database and the Redis prefix from the service name by default', () => {
    expect(parseEnvironmentValues(ordersEnv, {})).toMatchObject({
      PORT: 7000,
      DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/orders',
      REDIS_KEY_PREFIX: 'orders',
    });
    expect(parseEnvironmentValues(ordersEnv, { REDIS_KEY_PREFIX: 'a', PORT: '0' })).toMatchObject({
      REDIS_KEY_PREFIX: 'a',
      PORT: 0,
    });
  });

  it('rejects an invalid Redis URL, naming its variable', () => {
    expect(() => parseEnvironmentValues(ordersEnv, { REDIS_URL: 'http://cache' })).toThrow(
      /REDIS_URL: must name a Redis/,
    );
  });

  it('parses keys and peppers as pairs, in order', () => {
    const secrets = { SECRET_ENCRYPTION_KEYS: 'k2:bb==, k1:aa==', SECRET_PEPPERS: '1:x:y' };
    expect(parseEnvironmentValues(ordersEnv, secrets)).toMatchObject({
      SECRET_ENCRYPTION_KEYS: [
        ['k2', 'bb=='],
        ['k1', 'aa=='],
      ],
      SECRET_PEPPERS: [['1', 'x:y']],
    });
    for (const bad of ['k1', 'k1:', ':aa', 'k1:aa,']) {
      expect(() => parseEnvironmentValues(ordersEnv, { SECRET_PEPPERS: bad })).toThrow(
        /SECRET_PEPPERS: must read id:value,id:value/,
      );
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
    expect(() => parseEnvironmentValues(ordersEnv, { ...env, NODE_ENV: 'production' })).toThrow(problem);
    expect(() => parseEnvironmentValues(ordersEnv, env)).not.toThrow();
    const good = { SECRET_ENCRYPTION_KEYS: goodKey, SECRET_PEPPERS: goodPepper, NODE_ENV: 'production' };
    expect(() => parseEnvironmentValues(ordersEnv, good)).not.toThrow();
  });

  it('requires the secrets of the service in production, and never shows their values', () => {
    expect(() => parseEnvironmentValues(ordersEnv, { NODE_ENV: 'production' })).toThrow(
      /SECRET_ENCRYPTION_KEYS[^]*SECRET_PEPPERS/,
    );
    const own = describeEnvironmentVariables(ordersEnv).slice(Object.keys(platformEnvironmentSchema.shape).length);
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
    expect(parseEnvironmentValues(ordersEnv, {}).PROCESSES).toBe(1);
    expect(parseEnvironmentValues(ordersEnv, { PROCESSES: '12' }).PROCESSES).toBe(12);
    expect(parseEnvironmentValues(ordersEnv, { PROCESSES: 'auto' }).PROCESSES).toBe('auto');
    for (const bad of ['0', '-1', '1.5', '1000', 'all']) {
      expect(() => parseEnvironmentValues(ordersEnv, { PROCESSES: bad })).toThrow(
        /PROCESSES: must be auto, or a whole number/,
      );
    }
  });
});

describe('requireCurrentPepper', () => {
  const read = (current?: string) =>
    requireCurrentPepper(
      parseEnvironmentValues(ordersEnv, { SECRET_PEPPERS: goodPepper, SECRET_PEPPER_CURRENT: current }),
    );

  it('rejects a number without a matching pepper, and lists the existing numbers', () => {
    expect(() => read('1')).toThrow('SECRET_PEPPER_CURRENT: is 1, but SECRET_PEPPERS has only: 2');
  });

  it('accepts the number of an existing pepper, and a missing number', () => {
    expect([read('2').SECRET_PEPPER_CURRENT, read().SECRET_PEPPER_CURRENT]).toEqual([2, undefined]);
  });
});
