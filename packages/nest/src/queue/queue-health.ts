import { connectRedis, type RedisClient, waitUntilReady } from '@switchboard/queue';
import type { QueueSettings } from './queue-options.js';

/** Health status of a server that the service needs. */
type HealthStatus = 'up' | 'down';

/** Result of a health check in the form of `HealthIndicatorResult` of `@nestjs/terminus`. */
export type QueueHealthResult<Key extends string = string> = Record<
  Key,
  {
    readonly status: HealthStatus;
    readonly postgres: HealthStatus;
    readonly redis: HealthStatus;
    /** Text for the operator with the reasons why a server cannot be used; undefined if all servers work. */
    readonly message?: string;
  }
>;

/** Time limit of the health check of one server, in milliseconds. */
const HEALTH_CHECK_LIMIT_MS = 2_000;

/**
 * Health indicator of {@link QueueModule}, which checks PostgreSQL and Redis. It has the form that `@nestjs/terminus`
 * expects, but does not require that package.
 */
export class QueueHealth {
  private client: RedisClient | null = null;

  constructor(private readonly settings: QueueSettings) {}

  /**
   * Checks both servers, each within 2 s. Without Redis a service still commits changes, while jobs and events wait:
   * with `requiresRedis: false` the status is then `up`. Never rejects.
   *
   * @param key name of the result
   */
  async check<const Key extends string = 'queue'>(
    key: Key = 'queue' as Key,
    { requiresRedis = true }: { readonly requiresRedis?: boolean } = {},
  ): Promise<QueueHealthResult<Key>> {
    const [postgres, redis] = await Promise.all([
      findHealthCheckFault('PostgreSQL', () => this.settings.pool.query('SELECT 1')),
      findHealthCheckFault('Redis', () => this.pingRedis()),
    ]);
    const isDown = postgres !== null || (requiresRedis && redis !== null);
    const faults = [postgres, redis].filter((fault) => fault !== null);
    const result = {
      status: toHealthStatus(isDown),
      postgres: toHealthStatus(postgres !== null),
      redis: toHealthStatus(redis !== null),
      ...(faults.length > 0 && { message: faults.join('; ') }),
    };
    return { [key]: result } as QueueHealthResult<Key>;
  }

  /** Closes the Redis connection of the health checks. */
  close(): void {
    this.client?.disconnect();
    this.client = null;
  }

  private async pingRedis(): Promise<void> {
    const { redis, logger } = this.settings;
    // The other connections of the process wait for Redis, or belong to one part.
    this.client ??= connectRedis(redis, 'commands', logger);
    await waitUntilReady(this.client, HEALTH_CHECK_LIMIT_MS);
    await this.client.ping();
  }
}

const toHealthStatus = (isDown: boolean): HealthStatus => (isDown ? 'down' : 'up');

/** Runs the health check of one server within the time limit. Returns the reason of a failure, or null. */
async function findHealthCheckFault(server: string, check: () => Promise<unknown>): Promise<string | null> {
  const { promise: late, reject } = deferredRejection();
  const timer = setTimeout(
    () => reject(new Error(`no response within ${HEALTH_CHECK_LIMIT_MS} ms`)),
    HEALTH_CHECK_LIMIT_MS,
  );
  try {
    await Promise.race([check(), late]);
    return null;
  } catch (error) {
    return `${server}: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    clearTimeout(timer);
  }
}

function deferredRejection(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<never>((_resolve, rejectPromise) => (reject = rejectPromise));
  return { promise, reject };
}
