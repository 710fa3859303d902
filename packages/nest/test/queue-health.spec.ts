import { RedisServers, type TestRedisServer, waitFor } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { QueueHealth, QueueModule } from '../src/index.js';
import { closeApplications, QueueServers, startApplication } from './queue-test-service.js';

let servers: QueueServers;
let redisServers: RedisServers;
let redis: TestRedisServer;

beforeAll(async () => {
  servers = await QueueServers.open();
  redisServers = await RedisServers.open();
  redis = await redisServers.start([]);
});

afterEach(closeApplications);

afterAll(async () => {
  await redisServers.stop();
  await servers.close();
});

const up = { status: 'up', postgres: 'up', redis: 'up' };

describe('QueueHealth.check', () => {
  it('returns down for Redis while Redis is unavailable, and up after Redis is available again', async () => {
    const options = { ...servers.connections, redis: `redis://127.0.0.1:${redis.port}` };
    const application = await startApplication([QueueModule.forRoot(options)]);
    const health = application.get(QueueHealth);
    expect(await health.check()).toEqual({ queue: up });
    await redis.kill();
    const down = { postgres: 'up', redis: 'down', message: expect.stringMatching(/^Redis: ./) };
    await waitFor(async () => (await health.check()).queue.redis === 'down', { what: 'a failed check' });
    expect(await health.check('events')).toEqual({ events: { status: 'down', ...down } });
    expect(await health.check('events', { requiresRedis: false })).toEqual({ events: { status: 'up', ...down } });
    redis = await redisServers.start([], [], redis.port);
    await waitFor(async () => (await health.check()).queue.status === 'up', { what: 'a passed check' });
    expect(await health.check()).toEqual({ queue: up });
  });

  it('returns down for PostgreSQL when PostgreSQL rejects the statement', async () => {
    const pool = { ...servers.connections.pool, query: () => Promise.reject(new Error('the database is closed')) };
    const application = await startApplication([QueueModule.forRoot({ ...servers.connections, outbox: {} })]);
    const health = new QueueHealth({ ...servers.connections, pool: pool as never, logger: console });
    expect(await health.check('queue', { requiresRedis: false })).toEqual({
      queue: { status: 'down', postgres: 'down', redis: 'up', message: 'PostgreSQL: the database is closed' },
    });
    health.close();
    expect(application.get(QueueHealth)).toBeInstanceOf(QueueHealth);
  });
});
