import type { Cluster, Redis } from 'ioredis';

/** Replaces a method of a Redis connection by a wrapper that may call the original method. */
function replaceConnectionMethod(
  client: object,
  name: string,
  replaced: (original: (args: unknown[]) => unknown) => ConnectionMethod,
): void {
  const method: unknown = Reflect.get(client, name);
  if (typeof method !== 'function') return;
  const original = (args: unknown[]): unknown => Reflect.apply(method, client, args);
  Reflect.set(client, name, replaced(original));
}

type ConnectionMethod = (...args: unknown[]) => unknown;

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

function isRedisConnection(value: unknown): value is Redis | Cluster {
  return typeof value === 'object' && value !== null && 'info' in value && 'duplicate' in value;
}
