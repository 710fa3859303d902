import { Queue } from 'bullmq';
import { errorText, type QueueLogger } from './environment.js';
import { closeRedis, connectRedis, firstAttempt, isConnectionFault, type RedisClient } from './redis.js';
import type { RedisTarget } from './redis-target.js';

/** Redis cannot be reached now. Nothing was written; what is in PostgreSQL waits there. */
export class RedisUnavailableError extends Error {
  override readonly name = 'RedisUnavailableError';
}

/** The adding side of BullMQ: one connection for all queues of a process, which never makes a caller wait for Redis. */
export class BullQueues<D> {
  /**
   * Settles when the first attempt to connect has ended. What a process adds as soon as it has started waits for it:
   * without a job its work would wait for a sweep, although Redis is there.
   */
  readonly connecting: Promise<void>;
  private readonly client: RedisClient;
  private readonly queues = new Map<string, Queue<D>>();

  constructor(
    redis: RedisTarget,
    private readonly logger: QueueLogger,
  ) {
    this.client = connectRedis(redis, 'commands', logger);
    this.connecting = firstAttempt(this.client);
  }

  /**
   * The queue `name` under `prefix`.
   * @throws RedisUnavailableError while there is no connection
   */
  get(name: string, prefix: string): Queue<D> {
    // A queue made without a connection would keep the failure of its first command for ever.
    if (this.client.status !== 'ready') throw new RedisUnavailableError('Redis is away, no job can be added');
    const known = this.queues.get(name);
    if (known) return known;
    const queue = new Queue<D>(name, { connection: this.client, prefix, skipWaitingForReady: true });
    queue.on('error', (error) => this.logger.debug({ queue: name, error: errorText(error) }, 'BullMQ queue'));
    queue.waitUntilReady().catch(() => this.queues.delete(name));
    this.queues.set(name, queue);
    return queue;
  }

  /**
   * The connection, for commands of our own. Not before the scripts of `queue` are defined on it: what is sent in one go
   * with a command from before could not call them.
   */
  async connection(queue: Queue<D>): Promise<RedisClient> {
    await queue.waitUntilReady();
    return this.client;
  }

  /**
   * Runs several Redis commands.
   * @throws RedisUnavailableError if Redis becomes unavailable
   */
  async asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!isConnectionFault(error)) throw error;
      throw new RedisUnavailableError('Redis is away, the question has no answer', { cause: error });
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.queues.values()].map((queue) => queue.close()));
    await closeRedis(this.client);
  }
}
