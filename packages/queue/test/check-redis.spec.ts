import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkRedis, connectRedis, defineJob, inspectRedis, Jobs, type RedisClient } from '../src/index.js';
import { silentLogger } from '../src/environment.js';
import { payload } from './jobs-support.js';
import { getTestServerAddresses, RedisServers } from '@switchboard/testing';

const { redisUrl } = getTestServerAddresses();
let redis: RedisClient;

beforeEach(() => {
  redis = connectRedis(redisUrl, 'subscriber', silentLogger);
});

afterEach(async () => {
  await redis.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  redis.disconnect();
});

describe('checkRedis', () => {
  it('returns an eviction policy that can delete keys', async () => {
    expect(await checkRedis(redisUrl, 5_000)).toEqual({ losingPolicy: null });
    // Without a memory limit nothing is evicted, so concurrent tests are not affected.
    await redis.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await checkRedis(redisUrl, 5_000)).toEqual({ losingPolicy: 'allkeys-lru' });
  });

  it('throws when Redis is unavailable', async () => {
    await expect(checkRedis('redis://127.0.0.1:1', 200)).rejects.toThrow('did not respond within 200 ms');
  });
});

describe('inspectRedis', () => {
  const options = { prefix: 'shop', timeoutMs: 5_000 };

  it('returns version, policy and persistence as far as the user may read them', async () => {
    const servers = await RedisServers.open();
    try {
      const server = await servers.start(['maxmemory-policy allkeys-lfu']);
      const url = `redis://127.0.0.1:${server.port}`;
      const version = /^redis_version:(\S+)/m.exec(await server.admin.info('server'))?.[1];
      const facts = { version, policy: 'allkeys-lfu', writeError: null, isPersistent: false };
      expect(await inspectRedis(url, options)).toEqual(facts);
      expect(await server.admin.dbsize()).toBe(0);

      await server.admin.config('SET', 'save', '3600 1');
      expect(await inspectRedis(url, options)).toMatchObject({ isPersistent: true });
      await server.admin.acl('SETUSER', 'service', 'on', '>secret', '~*', '+@all', '-config');
      const serviceUrl = `redis://service:secret@127.0.0.1:${server.port}`;
      expect(await inspectRedis(serviceUrl, options)).toMatchObject({ isPersistent: null });
      await server.admin.config('SET', 'appendonly', 'yes');
      expect(await inspectRedis(serviceUrl, options)).toMatchObject({ isPersistent: true });
    } finally {
      await servers.stop();
    }
  });

  it('returns the error of a write when the user lacks rights or the server is a replica', async () => {
    const servers = await RedisServers.open();
    try {
      const server = await servers.start([]);
      await server.admin.acl('SETUSER', 'service', 'on', '>secret', '~shop:*', '&shop:*', '+@all');
      const url = `redis://service:secret@127.0.0.1:${server.port}`;
      expect(await inspectRedis(url, options)).toMatchObject({ writeError: null });
      expect(await inspectRedis(url, { ...options, prefix: 'other' })).toMatchObject({
        writeError: expect.stringContaining('NOPERM') as string,
      });
      await server.admin.replicaof('127.0.0.1', '1');
      expect(await inspectRedis(url, options)).toMatchObject({ writeError: 'The server is a replica.' });
    } finally {
      await servers.stop();
    }
  });

  it('throws with the cause when the password is wrong', async () => {
    const servers = await RedisServers.open();
    try {
      const { port } = await servers.start([]);
      const url = `redis://nobody:wrong@127.0.0.1:${port}`;
      await expect(inspectRedis(url, { ...options, timeoutMs: 500 })).rejects.toThrow('WRONGPASS');
    } finally {
      await servers.stop();
    }
  });
});

describe('Jobs', () => {
  it('suppresses the warning of BullMQ about the eviction policy', async () => {
    const written = vi.spyOn(console, 'warn').mockImplementation(() => {});
    await redis.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const job = defineJob({ name: 'quiet', payload, attempts: 1 });
    const jobs = new Jobs({ redis: redisUrl, prefix: `quiet-${Date.now()}`, definitions: [job], stopGraceMs: 100 });
    const ran = new Promise<void>((resolve) => jobs.handle(job, async () => resolve()));
    jobs.start();
    await expect
      .poll(() =>
        jobs.add(job, { n: 1 }).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await ran;
    await jobs.stop();
    expect(written).not.toHaveBeenCalled();
    written.mockRestore();
  });
});
