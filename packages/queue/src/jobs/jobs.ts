import { setMaxListeners } from 'node:events';
import { Worker, type Job, type JobsOptions, type Queue } from 'bullmq';
import { BullQueues } from '../bull-queues.js';
import {
  errorText,
  processClock,
  silentLogger,
  type QueueClock,
  type QueueLogger,
  type TraceContext,
} from '../environment.js';
import { QueueUsageError } from '../outbox/topic.js';
import { closeRedis, connectRedis, type RedisClient, type RedisTarget } from '../redis.js';
import { backoffDelayMs, type JobDefinition } from './define-job.js';
import { JobRunner, type JobData, type JobHandler } from './job-runner.js';

/** What {@link Jobs} is made of. */
export interface JobsSettings {
  redis: RedisTarget;
  /** Every job of the service: boot fails when one of them has no handler. */
  definitions: readonly { readonly name: string }[];
  /** Prefix of all keys, one a deployment. Default `switchboard`. */
  prefix?: string;
  logger?: QueueLogger;
  /** Makes the logger of one job from its fields (pino: `(fields) => logger.child(fields)`). Default: `logger`. */
  logFor?: (fields: object) => QueueLogger;
  clock?: QueueClock;
  /** The request being served, for jobs that are added without a context of their own. */
  context?: () => TraceContext;
  /** How long {@link Jobs.stop} lets running jobs go on before their signal is aborted, in milliseconds. Default 10,000. */
  stopGraceMs?: number;
  /** How long a killed worker's job waits before another takes it, in milliseconds. Default 30,000. */
  stalledAfterMs?: number;
}

/** How one job is added. */
export interface AddJobOptions {
  /** Deterministic: while a job with this id is kept, adding it again does nothing. */
  id?: string;
  delayMs?: number;
  /** The request that caused it; default is that of {@link JobsSettings.context}. */
  context?: TraceContext;
}

/** A job that failed for good, as an operator sees it. */
export interface FailedJob {
  id: string;
  payload: unknown;
  context: TraceContext;
  attempts: number;
  error: string;
  failedAt: Date | null;
}

interface Registered {
  definition: JobDefinition<unknown>;
  handlers: number;
  process: (job: Job<JobData>, token?: string) => Promise<void>;
}

/** Failed jobs that are kept per kind of job. */
const KEEP_FAILED = 10_000;

/** Typed background jobs on Redis. What must survive Redis has a row in PostgreSQL beside its job (architecture.md section 4). */
export class Jobs {
  private readonly settings: Required<JobsSettings>;
  private readonly registered = new Map<string, Registered>();
  private readonly queues: BullQueues<JobData>;
  private readonly workers: Worker<JobData>[] = [];
  private readonly stopping = new AbortController();
  private workerRedis: RedisClient | null = null;

  constructor(settings: JobsSettings) {
    // Every running job listens: more than ten are no leak.
    setMaxListeners(0, this.stopping.signal);
    const logger = settings.logger ?? silentLogger;
    this.settings = {
      prefix: 'switchboard',
      logFor: () => logger,
      clock: processClock,
      context: () => ({}),
      stopGraceMs: 10_000,
      stalledAfterMs: 30_000,
      ...settings,
      logger,
    };
    this.queues = new BullQueues(settings.redis, logger);
  }

  /**
   * Sets what does the work of a job. Call it before {@link start}.
   * @throws QueueUsageError when the job was not named in `definitions`
   */
  handle<P>(definition: JobDefinition<P>, handler: JobHandler<P>): void {
    this.assertDefined(definition.name);
    const runner = new JobRunner(definition, handler, {
      clock: this.settings.clock,
      stopping: this.stopping.signal,
      logFor: this.settings.logFor,
      publicId,
    });
    const before = this.registered.get(definition.name);
    this.registered.set(definition.name, {
      definition: definition as JobDefinition<unknown>,
      handlers: (before?.handlers ?? 0) + 1,
      process: (job, token) => runner.run(job, token),
    });
  }

  /**
   * Adds a job.
   * @throws ZodError when the payload does not fit
   * @throws RedisUnavailableError at once while Redis is away
   */
  async add<P>(definition: JobDefinition<P>, payload: P, options: AddJobOptions = {}): Promise<void> {
    const { name, data, opts } = this.prepare(definition, payload, options);
    await this.queue(definition.name).add(name, data, opts);
  }

  /** Adds many jobs of one kind in one round trip. All or none. */
  async addBulk<P>(definition: JobDefinition<P>, jobs: readonly ({ payload: P } & AddJobOptions)[]): Promise<void> {
    if (jobs.length === 0) return;
    const prepared = jobs.map(({ payload, ...options }) => this.prepare(definition, payload, options));
    await this.queue(definition.name).addBulk(prepared);
  }

  /**
   * Begins to work.
   * @throws QueueUsageError naming every job that has no handler, or two
   */
  start(): void {
    const faults = this.settings.definitions.flatMap(({ name }) => {
      const handlers = this.registered.get(name)?.handlers ?? 0;
      return handlers === 1 ? [] : [`${name} has ${handlers === 0 ? 'no handler' : `${handlers} handlers`}`];
    });
    if (faults.length > 0) throw new QueueUsageError(`Jobs: ${faults.join('; ')}`);
    this.workerRedis = connectRedis(this.settings.redis, 'worker', this.settings.logger);
    for (const registered of this.registered.values()) this.workers.push(this.work(registered, this.workerRedis));
  }

  /**
   * Takes nothing new. Running jobs may finish for `stopGraceMs`; then their signal is aborted and they are handed
   * back, to run elsewhere without an attempt counted. Call it on SIGTERM.
   */
  async stop(): Promise<void> {
    const { clock, stopGraceMs } = this.settings;
    const timer = clock.setTimeout(() => this.stopping.abort(), stopGraceMs);
    const redisUp = this.workerRedis?.status === 'ready';
    await Promise.allSettled(this.workers.map((worker) => worker.close(!redisUp)));
    clock.clearTimeout(timer);
    // Redis away, the workers were not waited for: what still runs hears that the process ends.
    this.stopping.abort();
    await this.queues.close();
    if (this.workerRedis) await closeRedis(this.workerRedis);
  }

  /** Jobs that failed for good, newest first. */
  async failed<P>(definition: JobDefinition<P>, page: { start?: number; limit?: number } = {}): Promise<FailedJob[]> {
    const start = page.start ?? 0;
    const jobs = await this.queue(definition.name).getFailed(start, start + (page.limit ?? 100) - 1);
    return jobs.map(describeFailed);
  }

  /** Runs a failed job again, with all its attempts. False when no failed job has this id. */
  async requeue<P>(definition: JobDefinition<P>, id: string): Promise<boolean> {
    const job = await this.queue(definition.name).getJob(storedId(id));
    if (!job || !(await job.isFailed())) return false;
    await job.retry('failed', { resetAttemptsMade: true });
    return true;
  }

  /** Runs again all failed jobs that pass `filter` (default all). Returns how many. */
  async requeueFailed<P>(definition: JobDefinition<P>, filter = (_job: FailedJob): boolean => true): Promise<number> {
    const jobs = (await this.queue(definition.name).getFailed(0, KEEP_FAILED)).filter((job) =>
      filter(describeFailed(job)),
    );
    for (const job of jobs) await job.retry('failed', { resetAttemptsMade: true });
    return jobs.length;
  }

  /** For metrics: jobs by state. */
  async counts<P>(definition: JobDefinition<P>): Promise<Record<string, number>> {
    return this.queue(definition.name).getJobCounts('waiting', 'active', 'delayed', 'failed');
  }

  private prepare<P>(definition: JobDefinition<P>, payload: P, options: AddJobOptions) {
    this.assertDefined(definition.name);
    const data: JobData = {
      payload: definition.payload.parse(payload),
      context: options.context ?? this.settings.context(),
    };
    const opts: JobsOptions = {
      attempts: definition.attempts,
      backoff: { type: 'definition' },
      removeOnComplete: { age: definition.keepCompletedSeconds, count: 10_000 },
      removeOnFail: { count: KEEP_FAILED },
      ...(options.id === undefined ? {} : { jobId: storedId(options.id) }),
      ...(options.delayMs === undefined ? {} : { delay: options.delayMs }),
    };
    return { name: definition.name, data, opts };
  }

  private work({ definition, process }: Registered, connection: RedisClient): Worker<JobData> {
    const { stalledAfterMs, logger } = this.settings;
    const worker = new Worker<JobData>(definition.name, process, {
      connection,
      prefix: this.keyPrefix(definition.name),
      concurrency: definition.concurrency,
      lockDuration: stalledAfterMs,
      stalledInterval: stalledAfterMs,
      // A worker that is killed again and again must not bury the job: the attempts of its definition do.
      maxStalledCount: 1_000,
      settings: { backoffStrategy: (failures) => backoffDelayMs(definition.backoff, failures, Math.random()) },
    });
    worker.on('error', (error) => logger.debug({ job: definition.name, error: errorText(error) }, 'job worker'));
    worker.on('failed', (job, error) => {
      if (!job || job.finishedOn === undefined) return;
      logger.error({ job: definition.name, jobId: publicId(job.id), error: errorText(error) }, 'job failed for good');
    });
    return worker;
  }

  private queue(name: string): Queue<JobData> {
    return this.queues.get(name, this.keyPrefix(name));
  }

  /** One hash tag a kind of job, so that a cluster spreads them. */
  private keyPrefix(name: string): string {
    return `{${this.settings.prefix}.jobs.${name}}`;
  }

  private assertDefined(name: string): void {
    if (!this.settings.definitions.some((definition) => definition.name === name)) {
      throw new QueueUsageError(`Job ${name} is not among the definitions given to Jobs`);
    }
  }
}

/** BullMQ refuses ids that are integers or contain ':'; ours may be anything. */
const storedId = (id: string): string => `id-${encodeURIComponent(id)}`;

const publicId = (stored: string | undefined): string =>
  stored?.startsWith('id-') ? decodeURIComponent(stored.slice(3)) : (stored ?? '');

function describeFailed(job: Job<JobData>): FailedJob {
  return {
    id: publicId(job.id),
    payload: job.data.payload,
    context: job.data.context,
    attempts: job.attemptsMade,
    error: job.failedReason ?? '',
    failedAt: job.finishedOn === undefined ? null : new Date(job.finishedOn),
  };
}
