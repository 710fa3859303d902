import { translateDatabaseError } from '@switchboard/errors';
import type { Logger } from '../logging/logger.js';
import { UnreachableError, waitUntilReachable } from './wait-until-reachable.js';

/** The servers of a service, with connection functions. */
export interface ServersOptions {
  /** Connects to PostgreSQL once; `checkConnection` of `@switchboard/database`. */
  readonly connectDatabase: () => Promise<void>;
  /** Connects to Redis once and names an eviction policy that loses keys; `checkRedis` of `@switchboard/queue`. */
  readonly checkRedis: () => Promise<{ readonly losingPolicy: string | null }>;
  /** Longest time to wait for each, in milliseconds. */
  readonly timeoutMs: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Waits for PostgreSQL (DATABASE_URL) and Redis (REDIS_URL), which may start later than the service. Without Redis the
 * service starts all the same and is degraded until Redis comes. Warns once of an eviction policy that loses keys.
 *
 * @throws UnreachableError when PostgreSQL stays away for `timeoutMs`
 * @throws what `connectDatabase` throws when waiting cannot help, such as a refused password
 */
export async function waitForServers(options: ServersOptions): Promise<void> {
  const { connectDatabase, checkRedis, timeoutMs, logger } = options;
  const wait = { timeoutMs, logger };
  const isTemporary = (error: unknown): boolean => translateDatabaseError(error)?.kind === 'unavailable';
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
    if (!(error instanceof UnreachableError)) throw error;
    logger.warn(`${error.message}. The service starts without it.`);
  }
}
