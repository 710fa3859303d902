import type { DatabaseWorkClass } from './database-workload.js';

/**
 * Maximum number of connections for each class of database work. The sum over all classes is at most the size of the
 * pool, unless the pool is too small to be divided.
 */
export type MaxConnectionsByWorkClass = Readonly<Record<DatabaseWorkClass, number>>;

/**
 * Size of the smallest pool that is divided among classes of work. In a smaller pool, each class may use all
 * connections.
 */
export const MIN_POOL_SIZE_FOR_DIVISION = 8;

/**
 * Returns the number of connections of a pool for each class of work. Authentication and background work get a tenth
 * each, heavy reads get a fifth, and short work gets most of the rest. Another tenth stays free to replace connections
 * of short work that became heavy.
 */
export function divideConnectionsAmongWorkClasses(size: number): MaxConnectionsByWorkClass {
  if (size < MIN_POOL_SIZE_FOR_DIVISION) return { authentication: size, short: size, heavy: size, background: size };
  const tenth = Math.max(1, Math.floor(size / 10));
  const heavy = Math.max(1, Math.floor(size / 5));
  const spare = Math.floor(size / 10);
  return { authentication: tenth, short: size - 2 * tenth - heavy - spare, heavy, background: tenth };
}
