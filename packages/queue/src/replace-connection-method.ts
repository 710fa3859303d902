import type { Cluster, Redis } from 'ioredis';

type ConnectionMethod = (...args: unknown[]) => unknown;

/** Replaces a method of a Redis connection, or of its connector, by a wrapper that may call the original method. */
export function replaceConnectionMethod(
  client: object,
  name: string,
  replaced: (original: (args: unknown[]) => unknown) => ConnectionMethod,
): void {
  const method: unknown = Reflect.get(client, name);
  if (typeof method !== 'function') return;
  const original = (args: unknown[]): unknown => Reflect.apply(method, client, args);
  Reflect.set(client, name, replaced(original));
}

/** Returns true if a value is a connection to a Redis server or to a Redis Cluster. */
export function isRedisConnection(value: unknown): value is Redis | Cluster {
  return typeof value === 'object' && value !== null && 'info' in value && 'duplicate' in value;
}
