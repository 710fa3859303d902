import { silentLogger } from './environment.js';
import { closeRedis, connectRedis, waitUntilReady } from './redis.js';
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
  const client = connectRedis(redis, 'commands', silentLogger);
  try {
    await waitUntilReady(client, timeoutMs);
    // Reads INFO by `call`, because `hideEvictionPolicy` hides the policy from the other methods.
    const info = String(await client.call('INFO', 'memory'));
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
    return { losingPolicy: policy === undefined || policy === 'noeviction' ? null : policy };
  } finally {
    await closeRedis(client);
  }
}
