import { setMaxListeners } from 'node:events';
import type { JobsOptions, Queue } from 'bullmq';
import { BullQueues } from '../bull-queues.js';
import { definedOnly, processClock, silentLogger } from '../environment.js';
import { writePayload } from '../payload-json.js';
import { closeRedis, connectRedis, type RedisClient } from '../redis.js';
import { QueueUsageError } from '../usage-error.js';
import { requestCancel, listActive, listenForCancel, type ActiveJob } from './active-jobs.js';
import type { JobData } from './attempt.js';
import type { JobDefinition } from './define-job.js';
import { FailedJobs, type FailedJob, type FailedJobFilter } from './failed-jobs.js';
import { createRateLimitGate } from './rate-limit-gate.js';
import { storedId } from './job-ids.js';
import { optionsOf } from './job-options.js';
import { JobRunner, type JobHandler } from './job-runner.js';
import { JobWorker } from './job-worker.js';
import type { AddJobOptions, InlineRunner, JobMetrics, JobsSettings } from './jobs-settings.js';
import { scheduleOf, type StoredSchedule } from './repeat-schedule.js';
import { JobSchedules } from './schedules.js';
import { listWorkers, WorkerRegistration, type WorkStatistics, type WorkerProcess } from './worker-registry.js';

/** Priority of bulk jobs. BullMQ runs jobs that have no priority first. */
const bulkPriority = 1;

const pendingStates: ReadonlySet<string> = new Set(['waiting', 'delayed', 'prioritized']);

interface RegisteredJob {
  handlers: number;
  /** Function that starts a worker with the registered handler. */
  work: (connection: RedisClient, worker: string) => JobWorker;
  schedule: StoredSchedule | null;
}

/**
 * Time limit in milliseconds for requeueing unfinished jobs and closing connections after the grace period, in case
 * Redis does not respond.
 */
const CLOSE_LIMIT_MS = 3_000;

/** Typed background jobs in Redis. Work that must survive the loss of Redis also needs a row in PostgreSQL. */
export class Jobs {
  private readonly settings: Required<JobsSettings>;
  private readonly names: Set<string>;
  private readonly registered = new Map<string, RegisteredJob>();
  private readonly queues: BullQueues<JobData>;
  private readonly failures: FailedJobs;
  private readonly workers = new Map<string, JobWorker>();
  private readonly stopping = new AbortController();
  private schedules: JobSchedules | null = null;
  private workerRedis: RedisClient | null = null;
  private registration: WorkerRegistration | null = null;
  private endListening: (() => Promise<void>) | null = null;
  private isStopping = false;

  constructor(settings: JobsSettings) {
    // Each kind of job adds a listener, so Node's warning about more than ten listeners does not apply.
    setMaxListeners(0, this.stopping.signal);
    const logger = settings.logger ?? silentLogger;
    this.settings = {
      prefix: 'switchboard',
      logFor: () => logger,
      clock: processClock,
      context: () => ({}),
      stopGraceMs: 10_000,
      stalledAfterMs: 30_000,
      heartbeatMs: 5_000,
      logger,
      ...definedOnly(settings),
    };
    this.names = new Set(settings.definitions.map(({ name }) => name));
    this.queues = new BullQueues(settings.redis, logger);
    this.failures = new FailedJobs([...this.names], (name) => this.queue(name));
  }

  /**
   * Sets the handler of a kind of job. Must be called before {@link start}.
   *
   * @throws QueueUsageError when the job is not among `definitions`
   */
  handle<P, I>(definition: JobDefinition<P, I>, handler: JobHandler<P>): void {
    const { name, repeat } = definition;
    this.assertDefined(name);
    this.registered.set(name, {
      handlers: (this.registered.get(name)?.handlers ?? 0) + 1,
      work: (connection, worker) => this.startWorker(definition, handler, connection, worker),
      schedule: repeat && scheduleOf(name, repeat, optionsOf(definition)),
    });
  }

  /**
   * Adds a job to its queue.
   *
   * @throws ZodError when the payload does not match the schema
   * @throws RedisUnavailableError immediately while Redis is unavailable, once the first connection attempt has ended
   */
  async add<P, I>(definition: JobDefinition<P, I>, payload: I, options: AddJobOptions = {}): Promise<void> {
    const { name, data, opts } = this.prepare(definition, payload, options);
    await this.queues.connecting;
    await this.queue(definition.name).add(name, data, opts);
  }

  /** Adds many jobs of one kind in one round trip. Either all are added or none. */
  async addBulk<P, I>(
    definition: JobDefinition<P, I>,
    jobs: readonly ({ payload: I } & AddJobOptions)[],
  ): Promise<void> {
    if (jobs.length === 0) return;
    const prepared = jobs.map((job) => this.prepare(definition, job.payload, job));
    await this.queues.connecting;
    await this.queue(definition.name).addBulk(prepared);
  }

  /**
   * Returns a runner for jobs whose work also has a row in PostgreSQL, so that the first attempt needs no job in Redis.
   * If this process dies, the work must be recovered from the row. Returns null while this process runs no jobs.
   */
  inlineRunner<P, I>(definition: JobDefinition<P, I>): InlineRunner<I> | null {
    const worker = this.workers.get(definition.name);
    if (worker === undefined || this.isStopping) return null;
    return {
      hasRoom: (payload) => worker.runner.hasRoom(payload),
      run: (payload, id, context) => worker.runInline(payload, id, context),
    };
  }

  /**
   * Starts the workers. Updates the schedules of repeating jobs to match their definitions.
   *
   * @throws QueueUsageError naming every kind of job that has no handler, or two
   */
  start(): void {
    const faults = [...this.names].flatMap((name) => {
      const handlers = this.registered.get(name)?.handlers ?? 0;
      return handlers === 1 ? [] : [`${name} has ${handlers === 0 ? 'no handler' : `${handlers} handlers`}`];
    });
    if (faults.length > 0) throw new QueueUsageError(`Jobs: ${faults.join('; ')}`);
    const { redis, logger, clock } = this.settings;
    this.workerRedis = connectRedis(redis, 'worker', logger);
    this.registration = this.register(this.workerRedis);
    const requested = new Map<string, StoredSchedule>();
    for (const [name, { work, schedule }] of this.registered) {
      this.workers.set(name, work(this.workerRedis, this.registration.name));
      if (schedule) requested.set(name, schedule);
    }
    this.registration.start();
    const cancel = (job: string, storedId: string): void => this.workers.get(job)?.runner.cancel(storedId);
    this.endListening = listenForCancel(redis, this.root, cancel, logger);
    const registryKey = `${this.root}schedules`;
    const queue = (name: string): Queue<JobData> => this.queue(name);
    this.schedules = new JobSchedules({ redis: this.workerRedis, registryKey, requested, queue, clock, logger });
    this.schedules.start();
  }

  /**
   * Stops running new jobs. Running jobs may continue for `stopGraceMs`. Then their signal is aborted, and they are
   * returned to the queue without counting an attempt. Call it on SIGTERM. It takes at most some 4 s longer than the
   * grace period.
   */
  async stop(): Promise<void> {
    const { clock, stopGraceMs } = this.settings;
    this.isStopping = true;
    this.schedules?.stop();
    const grace = clock.setTimeout(() => this.stopping.abort(), stopGraceMs);
    // Jobs that cannot be requeued in time run again later, like jobs of a killed worker.
    const { promise: late, resolve: giveUp } = deferredSignal();
    const limit = clock.setTimeout(giveUp, stopGraceMs + CLOSE_LIMIT_MS);
    await Promise.race([this.closeWorkers(), late]);
    clock.clearTimeout(grace);
    // If Redis is unavailable, the workers were not awaited: aborts the jobs that still run.
    this.stopping.abort();
    const left = Promise.all([this.registration?.stop(), this.endListening?.()]).catch(() => undefined);
    await Promise.race([Promise.all([left, this.queues.close()]), late]);
    clock.clearTimeout(limit);
    if (this.workerRedis) await closeRedis(this.workerRedis);
  }

  /**
   * Returns those of the given ids whose jobs are waiting or delayed. Running jobs are not included, because their
   * process may be dead. Callers use it to add lost jobs again.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async pending(job: { readonly name: string }, ids: readonly string[]): Promise<Set<string>> {
    this.assertDefined(job.name);
    await this.queues.connecting;
    const queue = this.queue(job.name);
    const states = await Promise.all(ids.map((id) => queue.getJobState(storedId(id))));
    return new Set(ids.filter((_, index) => pendingStates.has(states[index] ?? 'unknown')));
  }

  /**
   * Lists the running jobs of one kind or of all kinds.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async active(job?: { readonly name: string }): Promise<ActiveJob[]> {
    if (job) this.assertDefined(job.name);
    const names = job ? [job.name] : [...this.names];
    const active = await this.queues.runCommands(() => Promise.all(names.map((name) => listActive(this.queue(name)))));
    return active.flat();
  }

  /**
   * Cancels the running attempt of a job in any process: its signal is aborted, and the job fails permanently with
   * `JobCancelledError`. Returns false if the job is not running or its process no longer exists. An inline run of
   * {@link inlineRunner} with this id is cancelled too, but does not affect the result.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async cancel(job: { readonly name: string }, id: string): Promise<boolean> {
    this.assertDefined(job.name);
    const queue = this.queue(job.name);
    return this.queues.runCommands(async () =>
      requestCancel(queue, await this.queues.connection(queue), this.root, id),
    );
  }

  /**
   * Lists the worker processes of this deployment. A dead process is listed until several of its heartbeats are
   * missing.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async workingProcesses(): Promise<WorkerProcess[]> {
    const [name] = this.names;
    if (name === undefined) return [];
    return this.queues.runCommands(async () => listWorkers(await this.queues.connection(this.queue(name)), this.root));
  }

  /** Lists permanently failed jobs, newest first, of one kind or of all. Default: the newest 100. */
  async failed(filter: FailedJobFilter & { offset?: number; limit?: number } = {}): Promise<FailedJob[]> {
    if (filter.job) this.assertDefined(filter.job.name);
    return this.failures.list(filter, filter.offset ?? 0, filter.limit ?? 100);
  }

  /** Returns a failed job, or null for an unknown id. */
  async findFailed(job: { readonly name: string }, id: string): Promise<FailedJob | null> {
    this.assertDefined(job.name);
    return this.failures.find(job.name, id);
  }

  /** Requeues a failed job with its full number of attempts. Returns false if no failed job has this id. */
  async requeue(job: { readonly name: string }, id: string): Promise<boolean> {
    this.assertDefined(job.name);
    return this.failures.requeue(job.name, id);
  }

  /** Requeues all failed jobs that match `filter`. Returns the number of requeued jobs. */
  async requeueFailed(filter: FailedJobFilter): Promise<number> {
    if (filter.job) this.assertDefined(filter.job.name);
    return this.failures.requeueAll(filter);
  }

  /**
   * Returns metrics of each kind of job.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async metrics(): Promise<JobMetrics[]> {
    const kinds = [...this.names].map(async (job) => {
      const counts = await this.queue(job).getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
      const { prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
      const waiting = (counts['waiting'] ?? 0) + prioritized;
      const processed = { ...(this.workers.get(job)?.processed ?? { completed: 0, failed: 0 }) };
      return { job, waiting, active, delayed, failed, processed };
    });
    return Promise.all(kinds);
  }

  private prepare<P, I>(definition: JobDefinition<P, I>, payload: I, { id, delayMs, context, isBulk }: AddJobOptions) {
    this.assertDefined(definition.name);
    const data: JobData = {
      payload: writePayload(definition.payload, payload).stored,
      context: context ?? this.settings.context(),
    };
    const opts: JobsOptions = { ...optionsOf(definition), jobId: storedId(id) };
    if (delayMs !== undefined) opts.delay = delayMs;
    if (isBulk === true) opts.priority = bulkPriority;
    return { name: definition.name, data, opts };
  }

  private register(redis: RedisClient): WorkerRegistration {
    const { clock, logger, heartbeatMs } = this.settings;
    const jobs = [...this.names];
    return new WorkerRegistration({
      redis,
      root: this.root,
      jobs,
      heartbeatMs,
      clock,
      logger,
      workDone: () => this.workStatistics(),
    });
  }

  private workStatistics(): WorkStatistics {
    const total = { active: 0, completed: 0, failed: 0, workedMs: 0 };
    for (const { processed, runner } of this.workers.values()) {
      total.active += runner.active;
      total.completed += processed.completed;
      total.failed += processed.failed;
      total.workedMs += runner.workedMs;
    }
    return total;
  }

  private startWorker<P>(
    definition: JobDefinition<P, unknown>,
    handler: JobHandler<P>,
    connection: RedisClient,
    worker: string,
  ): JobWorker {
    const { clock, logFor, logger, stalledAfterMs } = this.settings;
    const prefix = this.keyPrefix(definition.name);
    const gate = createRateLimitGate(definition, connection, prefix, clock);
    const runner = new JobRunner(definition, handler, { clock, stopping: this.stopping.signal, logFor, gate });
    return new JobWorker({ definition, runner, worker, connection, prefix, stalledAfterMs, logger });
  }

  private async closeWorkers(): Promise<void> {
    const redisUp = this.workerRedis?.status === 'ready';
    const workers = [...this.workers.values()].flatMap((worker) => [
      worker.close(!redisUp),
      worker.runner.waitUntilIdle(),
    ]);
    await Promise.allSettled(workers);
  }

  private queue(name: string): Queue<JobData> {
    return this.queues.get(name, this.keyPrefix(name));
  }

  /** Prefix of the Redis keys of all kinds of jobs. */
  private get root(): string {
    return `{${this.settings.prefix}.jobs}`;
  }

  /**
   * Returns the prefix of the Redis keys of one kind of job. Each kind has its own hash tag, so that a cluster
   * distributes the kinds.
   */
  private keyPrefix(name: string): string {
    return `{${this.settings.prefix}.jobs.${name}}`;
  }

  private assertDefined(name: string): void {
    if (!this.names.has(name)) throw new QueueUsageError(`Job ${name} is not among the definitions given to Jobs`);
  }
}

function deferredSignal(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((onResolve) => (resolve = onResolve));
  return { promise, resolve };
}
