import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ServerUnreachableError, waitForServers } from '../src/index.js';
import { LogLines, logTo } from './service-fixture.js';

const refusedConnectionError = (): Error =>
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });

/** Returns a function that fails for the given number of calls and then succeeds. */
function awayFor<T>(attempts: number, outcome: T): () => Promise<T> {
  let count = 0;
  return async () => {
    count += 1;
    if (count <= attempts) throw refusedConnectionError();
    return outcome;
  };
}

const noPolicy = { losingPolicy: null };

describe('waitForServers', () => {
  it('logs once that it waits until PostgreSQL and Redis respond', async () => {
    const lines = new LogLines();
    await waitForServers({
      connectDatabase: awayFor(2, undefined),
      checkRedis: awayFor(1, noPolicy),
      timeoutMs: 60_000,
      logger: logTo(lines),
    });
    expect(lines.lines.map(({ msg, variable, reason }) => [msg, variable, reason])).toEqual([
      ['waiting for PostgreSQL', 'DATABASE_URL', 'connect ECONNREFUSED 127.0.0.1:1'],
      ['waiting for Redis', 'REDIS_URL', 'connect ECONNREFUSED 127.0.0.1:1'],
    ]);
  });

  it('throws when PostgreSQL stays unavailable, naming its variable and the last error', async () => {
    const waiting = waitForServers({
      connectDatabase: awayFor(100, undefined),
      checkRedis: async () => noPolicy,
      timeoutMs: 600,
      logger: logTo(new LogLines()),
    });
    await expect(waiting).rejects.toThrow(ServerUnreachableError);
    await expect(waiting).rejects.toThrow(/^PostgreSQL \(DATABASE_URL\) could not be reached within 1 s: connect ECON/);
  });

  it('throws immediately on permanent errors', async () => {
    const error = Object.assign(new Error('password authentication failed'), { code: '28P01', severity: 'FATAL' });
    const waiting = waitForServers({
      connectDatabase: () => Promise.reject(error),
      checkRedis: async () => noPolicy,
      timeoutMs: 60_000,
      logger: logTo(new LogLines()),
    });
    await expect(Promise.race([waiting, delay(5_000)])).rejects.toBe(error);
  });

  it('continues without Redis, with a warning', async () => {
    const lines = new LogLines();
    await waitForServers({
      connectDatabase: async () => {},
      checkRedis: awayFor(100, noPolicy),
      timeoutMs: 0,
      logger: logTo(lines),
    });
    expect(lines.lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['warn', expect.stringMatching(/^Redis \(REDIS_URL\) could not be reached .* The service starts without it\.$/)],
    ]);
  });

  it('warns once of an eviction policy that can lose keys', async () => {
    const lines = new LogLines();
    await waitForServers({
      connectDatabase: async () => {},
      checkRedis: async () => ({ losingPolicy: 'allkeys-lru' }),
      timeoutMs: 0,
      logger: logTo(lines),
    });
    expect(lines.lines).toEqual([
      expect.objectContaining({ level: 'warn', variable: 'REDIS_URL', policy: 'allkeys-lru' }),
    ]);
  });
});
