import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { getTestServerAddresses } from '../test-configuration.js';

/** Access of one test file to the Redis server that all tests share. */
export interface TestRedisAccess {
  url: string;
  /** Prefix of all Redis keys written by the test. */
  prefix: string;
  /** Deletes every Redis key that begins with the prefix. */
  cleanup(): Promise<void>;
}

/** Returns access to the Redis server of the test run with a new, unique key prefix. */
export function openTestRedis(): TestRedisAccess {
  const { redisUrl: url } = getTestServerAddresses();
  const prefix = `test-${randomBytes(6).toString('hex')}:`;
  return { url, prefix, cleanup: () => deleteRedisKeysWithPrefix(url, prefix) };
}

async function deleteRedisKeysWithPrefix(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  try {
    let cursor = '0';
    do {
      // The prefix may be within a hash tag and thus not at the start of the key.
      const [next, keys] = await redis.scan(cursor, 'MATCH', `*${prefix}*`, 'COUNT', 1000);
      cursor = next;
      if (keys.length > 0) {
        await redis.unlink(...keys);
      }
    } while (cursor !== '0');
  } finally {
    redis.disconnect();
  }
}
