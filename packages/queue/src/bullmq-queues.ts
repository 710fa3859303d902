import { Queue } from 'bullmq';
import { formatErrorText, type QueueLogger } from './environment.js';
import {
  closeRedis,
  connectRedis,
  waitForFirstRedisAttempt,
  isRedisConnectionError,
  type RedisClient,
} from './redis.js';
import type { RedisTarget } from './redis-target.js';

/**
 * Error for an operation that needs Redis while Redis is unavailable. The operation wrote no data to Redis, and rows in
 * PostgreSQL are not lost.
 */
export class RedisUnavailableError extends Error {
  override readonly name = 'RedisUnavailableError';
}

/** Adds jobs to BullMQ through one Redis connection per process. Never waits for Redis to become available. */
export class BullMqQueues<D> {
  /**
   * Promise that settles when the first attempt to connect to Redis has ended. Jobs that are added right after the
   * start of the process wait for this promise. Otherwise, the jobs would be delayed until the next periodic check for
   * unsent rows, although Redis is available.
   */
  readonly connecting: Promise<void>;
  private readonly client: RedisClient;
  private readonly queues = new Map<string, Queue<D>>();

  constructor(
    redis: RedisTarget,
    private readonly logger: QueueLogger,
  ) {
    this.client = connectRedis(redis, 'commands', logger);
    this.connecting = waitForFirstRedisAttempt(this.client);
  }

  /**
   * Returns the BullMQ queue `name` under `prefix`.
   *
   * @throws RedisUnavailableError while there is no connection
   */
  getQueue(name: string, prefix: string): Queue<D> {
    // A queue created without a connection would retain the failure of its first command permanently.
    if (this.client.status !== 'ready') throw new RedisUnavailableError('Redis is unavailable, the job was not added');
    const known = this.queues.get(name);
    if (known) return known;
    const queue = new Queue<D>(name, { connection: this.client, prefix, skipWaitingForReady: true });
    queue.on('error', (error) =>
      this.logger.debug({ queue: name, error: formatErrorText(error) }, 'BullMQ queue error'),
    );
    queue.waitUntilReady().catch(() => this.queues.delete(name));
    this.queues.set(name, queue);
    return queue;
  }

  /**
   * Returns the Redis connection, for commands of this package. First waits until BullMQ has defined the Lua scripts of
   * `queue` on the connection. A pipeline that begins with another command could not call undefined scripts.
   */
  async waitForConnection(queue: Queue<D>): Promise<RedisClient> {
    await queue.waitUntilReady();
    return this.client;
  }

  /**
   * Runs a function that sends Redis commands, and returns its result.
   *
   * @throws RedisUnavailableError if Redis becomes unavailable meanwhile
   */
  async runRedisCommands<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!isRedisConnectionError(error)) throw error;
      throw new RedisUnavailableError('Redis is unavailable', { cause: error });
    }
  }

  async closeQueues(): Promise<void> {
    await Promise.allSettled([...this.queues.values()].map((queue) => queue.close()));
    await closeRedis(this.client);
  }
}
