import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { BullMqQueues } from '../bullmq-queues.js';
import { formatErrorText, type QueueLogger } from '../environment.js';
import { closeRedis, connectRedis, type RedisClient } from '../redis.js';
import type { RedisTarget } from '../redis-target.js';
import type { OutboxDispatchTarget } from './outbox-row-buffer.js';

/** Time limit for closing the Redis connections, in milliseconds, because Redis may no longer respond. */
const WAKEUP_QUEUE_CLOSE_TIMEOUT_MS = 5_000;

interface WorkerWakeupQueueOptions {
  redis: RedisTarget;
  prefix: string;
  logger: QueueLogger;
}

/**
 * Wakes the processes that dispatch the outbox rows of a message type, by jobs in a separate BullMQ queue for the type.
 * At most one wakeup job waits per message type and realm (deduplication with `keepLastIfActive`); further jobs are
 * dropped. While a job is active, one more job is stored, because the active job may have read the rows already
 * (docs/contract/event-log.md 3, Doorbell).
 */
export class WorkerWakeupQueue {
  private readonly queues: BullMqQueues<OutboxDispatchTarget>;
  private readonly workers: Worker<OutboxDispatchTarget>[] = [];
  private workerRedis: RedisClient | null = null;

  constructor(private readonly options: WorkerWakeupQueueOptions) {
    this.queues = new BullMqQueues(options.redis, options.logger);
  }

  /**
   * Wakes a process that dispatches the outbox rows of the message type. Never throws and never waits for Redis. If the
   * wakeup is lost, the periodic search for rows finds the rows.
   */
  wakeWorkerOfTopic(target: OutboxDispatchTarget): void {
    this.addWakeupJob(target).catch((error: unknown) => {
      this.options.logger.debug({ topic: target.topic, error: formatErrorText(error) }, 'workers could not be woken');
    });
  }

  /**
   * Calls `drain` in this process whenever another process requests a dispatch of the message type from this process.
   */
  listenForWakeups(topic: string, drain: (target: OutboxDispatchTarget) => Promise<void>): void {
    this.workerRedis ??= connectRedis(this.options.redis, 'worker', this.options.logger);
    const worker = new Worker<OutboxDispatchTarget>(getWakeupQueueName(topic), (job) => drain(job.data), {
      connection: this.workerRedis,
      prefix: getWakeupKeyPrefix(this.options.prefix, topic),
      concurrency: 8,
    });
    worker.on('error', (error) =>
      this.options.logger.debug({ topic, error: formatErrorText(error) }, 'wakeup worker error'),
    );
    this.workers.push(worker);
  }

  /**
   * Stops listening for wakeups and closes all Redis connections. Running dispatches may finish within
   * {@link WAKEUP_QUEUE_CLOSE_TIMEOUT_MS}.
   */
  async closeWakeupQueues(): Promise<void> {
    const redisUp = this.workerRedis?.status === 'ready';
    const closed = Promise.allSettled(this.workers.map((worker) => worker.close(!redisUp)));
    await Promise.race([closed, sleep(WAKEUP_QUEUE_CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    if (this.workerRedis) await closeRedis(this.workerRedis);
    await this.queues.closeQueues();
  }

  /**
   * Adds the job that wakes a dispatching process, and waits until Redis has stored the job.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async addWakeupJob(target: OutboxDispatchTarget): Promise<void> {
    const { topic, realm } = target;
    await this.queues.connecting;
    await this.queues
      .getQueue(getWakeupQueueName(topic), getWakeupKeyPrefix(this.options.prefix, topic))
      .add('drain', target, {
        deduplication: { id: `${topic}:${realm}`, keepLastIfActive: true },
        removeOnComplete: true,
        removeOnFail: true,
      });
  }
}

const getWakeupQueueName = (topic: string): string => `outbox.drain.${topic}`;

/**
 * Returns the prefix of the Redis keys of the wakeup queue for a message type. Each queue has its own hash tag, because
 * a script of BullMQ uses only the keys of one queue.
 */
const getWakeupKeyPrefix = (prefix: string, topic: string): string => `{${prefix}.outbox.${topic}}`;
