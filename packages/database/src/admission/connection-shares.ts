import type { DatabaseWorkClass } from './database-workload.js';

/**
 * Number of connections that each class of work may use. Their sum is at most the size of the pool, unless the pool is
 * too small to be divided.
 */
export type ConnectionCountByClass = Readonly<Record<DatabaseWorkClass, number>>;

/**
 * Size of the smallest pool that is divided among classes of work. In a smaller pool, each class may use all
 * connections.
 */
export const MIN_SHARED_POOL_SIZE = 8;

/**
 * Divides the connections of a pool: a tenth each for authentication and for background work, a fifth for heavy reads,
 * and the rest for short work. A tenth is kept free to replace connections of short work that became heavy.
 */
export function divideConnectionsAmongClasses(size: number): ConnectionCountByClass {
  if (size < MIN_SHARED_POOL_SIZE) return { authentication: size, short: size, heavy: size, background: size };
  const tenth = Math.max(1, Math.floor(size / 10));
  const heavy = Math.max(1, Math.floor(size / 5));
  const spare = Math.floor(size / 10);
  return { authentication: tenth, short: size - 2 * tenth - heavy - spare, heavy, background: tenth };
}
