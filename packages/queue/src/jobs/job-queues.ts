import type { Queue } from 'bullmq';
import { BullQueues } from '../bull-queues.js';
import type { QueueLogger } from '../environment.js';
import type { RedisClient } from '../redis.js';
import type { RedisTarget } from '../redis-target.js';
import { QueueUsageError } from '../usage-error.js';
import type { JobData } from './attempt.js';

/** Queues of BullMQ of a deployment: one for each kind of job, with its own Redis keys. */
export class JobQueues {
  /** Names of all kinds of jobs of the service. */
  readonly names: ReadonlySet<string>;
  private readonly prefix: string;
  private readonly queues: BullQueues<JobData>;

  constructor(options: {
    readonly redis: RedisTarget;
    readonly prefix: string;
    readonly definitions: readonly { readonly name: string }[];
    readonly logger: QueueLogger;
  }) {
    this.names = new Set(options.definitions.map(({ name }) => name));
    this.prefix = options.prefix;
    this.queues = new BullQueues(options.redis, options.logger);
  }

  /** Promise that settles when the first attempt to connect to Redis has ended. */
  get connecting(): Promise<void> {
    return this.queues.connecting;
  }

  /**
   * Returns the queue of a kind of job.
   *
   * @throws RedisUnavailableError while there is no connection
   */
  get(name: string): Queue<JobData> {
    return this.queues.get(name, this.keyPrefix(name));
  }

  /** Returns the Redis connection of the queues, on which the scripts of `queue` are defined. */
  connection(queue: Queue<JobData>): Promise<RedisClient> {
    return this.queues.connection(queue);
  }

  /**
   * Runs a function that sends Redis commands.
   *
   * @throws RedisUnavailableError if Redis becomes unavailable meanwhile
   */
  runCommands<T>(run: () => Promise<T>): Promise<T> {
    return this.queues.runCommands(run);
  }

  /** Prefix of the Redis keys of all kinds of jobs. */
  get root(): string {
    return `{${this.prefix}.jobs}`;
  }

  /**
   * Returns the prefix of the Redis keys of one kind of job. Each kind has its own hash tag, so that a cluster
   * distributes the kinds.
   */
  keyPrefix(name: string): string {
    return `{${this.prefix}.jobs.${name}}`;
  }

  /** @throws QueueUsageError for a job that is not among the definitions */
  assertDefined(name: string): void {
    if (!this.names.has(name)) throw new QueueUsageError(`Job ${name} is not among the definitions given to Jobs`);
  }

  close(): Promise<void> {
    return this.queues.close();
  }
}
