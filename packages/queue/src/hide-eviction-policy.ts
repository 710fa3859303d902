import type { Cluster, Redis } from 'ioredis';
import { isRedisConnection, replaceConnectionMethod } from './replace-connection-method.js';

/**
 * Removes the eviction policy from responses to the Redis command INFO. BullMQ would print a warning about the policy
 * for every connection, but {@link checkRedis} reports the policy once. Connections that are duplicated from this
 * connection also remove the policy.
 */
export function hideRedisEvictionPolicy<C extends Redis | Cluster>(client: C): C {
  replaceConnectionMethod(client, 'info', (original) => async (...args) => {
    const text = await original(args);
    return typeof text === 'string' ? text.replace(/^maxmemory_policy:.*\r?\n?/m, '') : text;
  });
  replaceConnectionMethod(client, 'duplicate', (original) => (...args) => {
    const copy = original(args);
    return isRedisConnection(copy) ? hideRedisEvictionPolicy(copy) : copy;
  });
  return client;
}
