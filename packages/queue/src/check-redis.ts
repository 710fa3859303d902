import { silentLogger } from './environment.js';
import { closeRedis, connectRedis, type RedisClient, waitUntilReady } from './redis.js';
import type { RedisTarget } from './redis-target.js';

/** Result of {@link checkRedis}. */
export interface RedisCheckResult {
  /**
   * Eviction policy of the Redis server (`maxmemory-policy`) if keys can be lost under this policy; null if no keys can
   * be lost, or if the policy is unknown.
   */
  readonly losingPolicy: string | null;
}

/**
 * Connects to Redis once and returns whether keys can be lost under its eviction policy. Jobs and event logs can be
 * lost under every policy except `noeviction`.
 *
 * @throws Error when Redis is not usable within `timeoutMs`
 */
export async function checkRedis(redis: RedisTarget, timeoutMs: number): Promise<RedisCheckResult> {
  return withConnection(redis, timeoutMs, async (client) => ({ losingPolicy: await readLosingPolicy(client) }));
}

/** Result of {@link inspectRedis}. */
export interface RedisInspection extends RedisCheckResult {
  /** Version of Redis with which the server is compatible, such as `7.2.4`. */
  readonly version: string;
  /**
   * True if the server saves its data to disk, by an append-only file or by snapshots. Null if it has no append-only file
   * and does not permit `CONFIG GET save`.
   */
  readonly isPersistent: boolean | null;
}

/**
 * Connects to Redis once and reads its version, its eviction policy and its persistence. Of a cluster, one server is
 * read.
 *
 * @throws Error when Redis is not usable within `timeoutMs`
 */
export function inspectRedis(redis: RedisTarget, timeoutMs: number): Promise<RedisInspection> {
  return withConnection(redis, timeoutMs, async (client) => ({
    version: await readInfoField(client, 'server', 'redis_version'),
    losingPolicy: await readLosingPolicy(client),
    isPersistent: await readPersistence(client),
  }));
}

async function withConnection<T>(
  redis: RedisTarget,
  timeoutMs: number,
  use: (client: RedisClient) => Promise<T>,
): Promise<T> {
  const client = connectRedis(redis, 'commands', silentLogger);
  try {
    await waitUntilReady(client, timeoutMs);
    return await use(client);
  } finally {
    await closeRedis(client);
  }
}

async function readLosingPolicy(client: RedisClient): Promise<string | null> {
  const policy = await readInfoField(client, 'memory', 'maxmemory_policy');
  return policy === '' || policy === 'noeviction' ? null : policy;
}

async function readPersistence(client: RedisClient): Promise<boolean | null> {
  if ((await readInfoField(client, 'persistence', 'aof_enabled')) === '1') return true;
  try {
    const setting = await client.call('CONFIG', 'GET', 'save');
    return Array.isArray(setting) && setting[1] !== '';
  } catch (error) {
    // The Redis user of a service may lack the right, and managed servers have no CONFIG.
    if (error instanceof Error && error.name === 'ReplyError') return null;
    throw error;
  }
}

/** Returns a field of INFO, or an empty text if it is absent. Uses `call`, because `hideEvictionPolicy` wraps `info`. */
async function readInfoField(client: RedisClient, section: string, field: string): Promise<string> {
  const info = String(await client.call('INFO', section));
  return new RegExp(`^${field}:(\\S+)`, 'm').exec(info)?.[1] ?? '';
}
