import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { BullQueues } from '../bull-queues.js';
import { errorText, type QueueLogger } from '../environment.js';
import { closeRedis, connectRedis, type RedisClient } from '../redis.js';
import type { RedisTarget } from '../redis-target.js';
import type { DrainTarget } from './buffer.js';

/** Time limit for closing, in milliseconds: Redis may not respond any more. */
const CLOSE_LIMIT_MS = 5_000;

interface WakeupQueueOptions {
  redis: RedisTarget;
  prefix: string;
  logger: QueueLogger;
}

/**
 * Wakes the processes that dispatch a topic, by a job in one queue for each topic. The job is deduplicated by
 * topic and realm with `keepLastIfActive`: while one waits, more add nothing; while one is active, one more is kept,
 * because the active one may have looked already (docs/contract/event-log.md 3, Doorbell).
 */
export class WakeupQueue {
  private readonly queues: BullQueues<DrainTarget>;
  private readonly workers: Worker<DrainTarget>[] = [];
  private workerRedis: RedisClient | null = null;

  constructor(private readonly options: WakeupQueueOptions) {
    this.queues = new BullQueues(options.redis, options.logger);
  }

  /** Wakes the workers of a topic. Never throws and never waits for Redis: the sweep finds rows whose wakeup is lost. */
  wakeWorkers(target: DrainTarget): void {
    this.add(target).catch((error: unknown) => {
      this.options.logger.debug({ topic: target.topic, error: errorText(error) }, 'doorbell not rung');
    });
  }

  /** Handles wakeups of `topic` in this process. */
  listen(topic: string, drain: (target: DrainTarget) => Promise<void>): void {
    this.workerRedis ??= connectRedis(this.options.redis, 'worker', this.options.logger);
    const worker = new Worker<DrainTarget>(queueName(topic), (job) => drain(job.data), {
      connection: this.workerRedis,
      prefix: keyPrefix(this.options.prefix, topic),
      concurrency: 8,
    });
    worker.on('error', (error) => this.options.logger.debug({ topic, error: errorText(error) }, 'doorbell worker'));
    this.workers.push(worker);
  }

  /**
   * Stops handling wakeups (running ones finish, unless that takes {@link CLOSE_LIMIT_MS}) and closes all connections.
   */
  async close(): Promise<void> {
    const redisUp = this.workerRedis?.status === 'ready';
    const closed = Promise.allSettled(this.workers.map((worker) => worker.close(!redisUp)));
    await Promise.race([closed, sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
    if (this.workerRedis) await closeRedis(this.workerRedis);
    await this.queues.close();
  }

  private async add(target: DrainTarget): Promise<void> {
    const { topic, realm } = target;
    await this.queues.connecting;
    await this.queues.get(queueName(topic), keyPrefix(this.options.prefix, topic)).add('drain', target, {
      deduplication: { id: `${topic}:${realm}`, keepLastIfActive: true },
      removeOnComplete: true,
      removeOnFail: true,
    });
  }
}

const queueName = (topic: string): string => `outbox.drain.${topic}`;

/** One hash tag a queue: BullMQ's scripts touch many keys of one queue and nothing else. */
const keyPrefix = (prefix: string, topic: string): string => `{${prefix}.outbox.${topic}}`;
