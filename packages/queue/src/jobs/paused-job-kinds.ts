import { formatErrorText, type QueueClock, type QueueLogger } from '../environment.js';
import { PeriodicTask } from '../periodic-task.js';
import type { RedisClient } from '../redis.js';

export interface PausedJobKindsOptions {
  readonly redis: RedisClient;
  /** Keys of the Redis hashes in which BullMQ stores the state of a queue, by name of the kind of job. */
  readonly stateKeys: ReadonlyMap<string, string>;
  /**
   * Time between two reads of the pause states of all kinds of jobs, in milliseconds. The reads replace lost messages.
   */
  readonly refreshMs: number;
  readonly clock: QueueClock;
  readonly logger: QueueLogger;
}

/**
 * List of the paused kinds of jobs, as last read from Redis by this process. The list stops inline runs; BullMQ stops
 * the other jobs.
 */
export class PausedJobKinds {
  private readonly names = new Set<string>();
  private readonly refreshing: PeriodicTask;
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly options: PausedJobKindsOptions) {
    const { clock, logger, refreshMs } = options;
    this.refreshing = new PeriodicTask({
      clock,
      run: () => this.refreshPausedKinds(),
      failed: (error) => logger.debug({ error: formatErrorText(error) }, 'paused kinds of jobs were not read'),
      restMs: () => refreshMs,
    });
  }

  isJobKindPaused(name: string): boolean {
    return this.names.has(name);
  }

  startRefreshing(): void {
    this.refreshing.start();
  }

  /** Stops the reads of pause states from Redis. A read that waits for Redis ends when the connection closes. */
  stopRefreshing(): void {
    this.refreshing.stop().catch(() => undefined);
  }

  /**
   * Reads the pause states of all kinds of jobs from Redis. Reads run one after the other, so that the newest read
   * decides.
   */
  refreshPausedKinds(): Promise<void> {
    const read = this.last.then(() => this.readPausedKindsFromRedis());
    this.last = read.catch(() => undefined);
    return read;
  }

  private async readPausedKindsFromRedis(): Promise<void> {
    const { redis, stateKeys } = this.options;
    const states = await Promise.all(
      [...stateKeys].map(async ([name, key]) => [name, await redis.hexists(key, 'paused')] as const),
    );
    for (const [name, isPaused] of states) {
      if (isPaused === 1) this.names.add(name);
      else this.names.delete(name);
    }
  }
}
