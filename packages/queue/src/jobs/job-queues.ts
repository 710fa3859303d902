import { findTracer } from '@switchboard/tracing';
import type { JobsOptions, Queue } from 'bullmq';
import { BullMqQueues } from '../bullmq-queues.js';
import type { QueueLogger } from '../environment.js';
import type { RedisClient } from '../redis.js';
import type { RedisTarget } from '../redis-target.js';
import { QueueUsageError } from '../queue-usage-error.js';
import type { StoredJobData } from './job-attempt.js';
import { addJobsInSpan } from './job-spans.js';

/** A job in the form in which the job is passed to BullMQ. */
export interface JobPreparedForBullMq {
  readonly name: string;
  readonly data: StoredJobData;
  readonly opts: JobsOptions;
}

/** BullMQ queues of a deployment. Each kind of job has a separate queue with separate Redis keys. */
export class BullMqJobQueues {
  /** Names of all kinds of jobs of the service. */
  readonly names: ReadonlySet<string>;
  private readonly prefix: string;
  private readonly queues: BullMqQueues<StoredJobData>;
  private readonly tracer = findTracer('@switchboard/queue');

  constructor(options: {
    readonly redis: RedisTarget;
    readonly prefix: string;
    readonly definitions: readonly { readonly name: string }[];
    readonly logger: QueueLogger;
  }) {
    this.names = new Set(options.definitions.map(({ name }) => name));
    this.prefix = options.prefix;
    this.queues = new BullMqQueues(options.redis, options.logger);
  }

  /** Promise that settles when the first attempt to connect to Redis has ended. */
  get firstRedisConnectionAttempt(): Promise<void> {
    return this.queues.connecting;
  }

  /**
   * Returns the queue of a kind of job.
   *
   * @throws RedisUnavailableError while there is no connection
   */
  getQueueOfJobKind(name: string): Queue<StoredJobData> {
    return this.queues.getQueue(name, this.getKeyPrefixOfKind(name));
  }

  /**
   * Adds jobs of one kind in one round trip, in a span if the process has a tracer provider. Adds either all jobs or
   * none.
   *
   * @throws RedisUnavailableError while there is no connection, once the first connection attempt has ended
   */
  addJobsOfKind(name: string, jobs: readonly JobPreparedForBullMq[]): Promise<void> {
    if (this.tracer === null) return this.sendAddJobsCommand(name, jobs);
    return addJobsInSpan(this.tracer, name, jobs, () => this.sendAddJobsCommand(name, jobs));
  }

  private async sendAddJobsCommand(name: string, jobs: readonly JobPreparedForBullMq[]): Promise<void> {
    await this.firstRedisConnectionAttempt;
    const queue = this.getQueueOfJobKind(name);
    const [job] = jobs;
    if (jobs.length === 1 && job !== undefined) await queue.add(job.name, job.data, job.opts);
    else await queue.addBulk([...jobs]);
  }

  /**
   * Waits until the Redis connection of the job queues is ready for the scripts of `queue`, and returns the connection.
   */
  waitForConnection(queue: Queue<StoredJobData>): Promise<RedisClient> {
    return this.queues.waitForConnection(queue);
  }

  /**
   * Runs a function that sends Redis commands.
   *
   * @throws RedisUnavailableError if Redis becomes unavailable meanwhile
   */
  runCommandsOnAvailableRedis<T>(run: () => Promise<T>): Promise<T> {
    return this.queues.runRedisCommands(run);
  }

  /** Prefix of the Redis keys of all kinds of jobs. */
  get redisKeyPrefix(): string {
    return `{${this.prefix}.jobs}`;
  }

  /**
   * Returns the prefix of the Redis keys of one kind of job. Each kind has its own hash tag, so that a Redis Cluster
   * distributes the kinds over the nodes.
   */
  getKeyPrefixOfKind(name: string): string {
    return `{${this.prefix}.jobs.${name}}`;
  }

  /** Returns the key of the Redis hash in which BullMQ stores the state of the queue of a kind of job. */
  getQueueStateKey(name: string): string {
    return `${this.getKeyPrefixOfKind(name)}:${name}:meta`;
  }

  /** @throws QueueUsageError for a kind of job that is not among the definitions of the service */
  assertJobKindDefined(name: string): void {
    if (!this.names.has(name)) throw new QueueUsageError(`Job ${name} is not among the definitions given to Jobs`);
  }

  closeAllQueues(): Promise<void> {
    return this.queues.closeQueues();
  }
}
