import { convertErrorToDatabaseFault } from '@switchboard/errors';
import type { Logger } from '../logging/logger.js';
import { ServerUnreachableError, waitUntilReachable } from './wait-until-reachable.js';

/** Functions that connect to PostgreSQL and Redis, and the time limit for waiting for these servers. */
export interface WaitForServersOptions {
  /**
   * Function that tries once to connect to PostgreSQL, for example `checkDatabaseConnection` of
   * `@switchboard/database`.
   */
  readonly connectDatabase: () => Promise<void>;
  /**
   * Function that tries once to connect to Redis, for example `checkRedis` of `@switchboard/queue`. Returns Redis's
   * eviction policy if keys can be lost under this policy.
   */
  readonly checkRedis: () => Promise<{ readonly losingPolicy: string | null }>;
  /** Maximum time to wait for each server, in milliseconds. */
  readonly timeoutMs: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Waits for PostgreSQL (DATABASE_URL) and Redis (REDIS_URL), which may start later than the service. If Redis is
 * unavailable, the service starts without Redis and is degraded until Redis is available. Warns once about an eviction
 * policy that can lose keys.
 *
 * @throws ServerUnreachableError when PostgreSQL is unavailable for `timeoutMs`
 * @throws Error of `connectDatabase` that cannot disappear while waiting, such as a rejected password
 */
export async function waitForServers(options: WaitForServersOptions): Promise<void> {
  const { connectDatabase, checkRedis, timeoutMs, logger } = options;
  const wait = { timeoutMs, logger };
  const isTemporary = (error: unknown): boolean => convertErrorToDatabaseFault(error)?.kind === 'unavailable';
  await waitUntilReachable(
    { name: 'PostgreSQL', variable: 'DATABASE_URL', connect: connectDatabase, isTemporary },
    wait,
  );
  const connectRedis = async (): Promise<void> => {
    const { losingPolicy: policy } = await checkRedis();
    const advice = 'Redis may evict jobs and events: set its maxmemory-policy to noeviction';
    if (policy !== null) logger.warn({ variable: 'REDIS_URL', policy }, advice);
  };
  try {
    await waitUntilReachable({ name: 'Redis', variable: 'REDIS_URL', connect: connectRedis }, wait);
  } catch (error) {
    if (!(error instanceof ServerUnreachableError)) throw error;
    logger.warn(`${error.message}. The service starts without it.`);
  }
}
