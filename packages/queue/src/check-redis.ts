import { randomUUID } from 'node:crypto';
import { formatErrorText, silentLogger } from './environment.js';
import { closeRedis, connectRedis, type RedisClient, waitUntilReady } from './redis.js';
import type { RedisTarget } from './redis-target.js';

/** Finding of {@link checkRedis} about the possible loss of keys. */
export interface RedisCheckResult {
  /**
   * Eviction policy of the Redis server (`maxmemory-policy`) if keys can be lost under this policy. Null if no keys can
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

/** Version, eviction policy and persistence of a Redis server. Of a cluster, only one server is read. */
export interface RedisInspection {
  /** Version of Redis with which the server is compatible, such as `7.2.4`. */
  readonly version: string;
  /** Eviction policy of the server (`maxmemory-policy`); null if the server does not report the policy. */
  readonly policy: string | null;
  /** Error of a write with the prefix, such as a missing right or a read-only replica; null if the write succeeded. */
  readonly writeError: string | null;
  /**
   * True if the server saves its data to disk, by an append-only file or by snapshots. Null if it has no append-only file
   * and does not permit `CONFIG GET save`.
   */
  readonly isPersistent: boolean | null;
}

/** Key prefix and time limit of {@link inspectRedis}. */
export interface RedisInspectionOptions {
  /** Prefix of the keys and channels of the service. */
  readonly prefix: string;
  /** Time limit for the connection in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Connects to Redis once and reads its version, eviction policy and persistence. Writes a key with the prefix, removes
 * it, and publishes a message without subscribers. Of a cluster, one server is read.
 *
 * @throws Error when Redis is not usable within `timeoutMs`
 */
export function inspectRedis(
  redis: RedisTarget,
  { prefix, timeoutMs }: RedisInspectionOptions,
): Promise<RedisInspection> {
  return withConnection(redis, timeoutMs, async (client) => {
    const policy = await readInfoField(client, 'memory', 'maxmemory_policy');
    return {
      version: await readInfoField(client, 'server', 'redis_version'),
      policy: policy === '' ? null : policy,
      isPersistent: await readPersistence(client),
      writeError: await findWriteError(client, `${prefix}:check:${randomUUID()}`),
    };
  });
}

/** Time after which Redis removes the key of a check that could not remove the key itself, in milliseconds. */
const TEST_KEY_LIFETIME_MS = 10_000;

async function findWriteError(client: RedisClient, key: string): Promise<string | null> {
  // A client reconnects after the error of a replica, which hides that error.
  if ((await readInfoField(client, 'replication', 'role')) === 'slave') return 'The server is a replica.';
  try {
    await client.set(key, '1', 'PX', TEST_KEY_LIFETIME_MS);
    await client.publish(key, '1');
    await client.del(key);
    return null;
  } catch (error) {
    return formatErrorText(error);
  }
}

async function withConnection<T>(
  redis: RedisTarget,
  timeoutMs: number,
  use: (client: RedisClient) => Promise<T>,
): Promise<T> {
  const client = connectRedis(redis, 'commands', silentLogger);
  let lastError: unknown;
  client.on('error', (error: unknown) => {
    lastError = error;
  });
  try {
    await waitUntilReady(client, timeoutMs).catch((error: unknown) => {
      if (lastError === undefined) throw error;
      const message = error instanceof Error ? error.message : formatErrorText(error);
      throw new Error(`${message}. Last error: ${formatErrorText(lastError)}`, { cause: lastError });
    });
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
    // A server that does not know the setting returns an empty list.
    return Array.isArray(setting) && setting.length === 2 ? setting[1] !== '' : null;
  } catch (error) {
    // The Redis user of a service may lack the right, and managed servers have no CONFIG.
    if (error instanceof Error && error.name === 'ReplyError') return null;
    throw error;
  }
}

/**
 * Returns a field of INFO, or an empty string if it is absent. Uses `call`, because `hideRedisEvictionPolicy` wraps
 * `info`.
 */
async function readInfoField(client: RedisClient, section: string, field: string): Promise<string> {
  const info = String(await client.call('INFO', section));
  return new RegExp(`^${field}:(\\S+)`, 'm').exec(info)?.[1] ?? '';
}
