import { setMaxListeners } from 'node:events';
import type { Queue } from 'bullmq';
import { closeRedis, connectRedis, type RedisClient } from '../redis.js';
import { assertTextKey } from '../assert-text-key.js';
import type { TransactionHandle } from '../transaction-handle.js';
import { QueueUsageError } from '../queue-usage-error.js';
import { listenToOperatorMessages, type OperatorMessageCallbacks } from './active-jobs.js';
import type { StoredJobData } from './job-attempt.js';
import type { JobDefinition } from './define-job.js';
import { createJobRateLimiter } from './job-rate-limit-gate.js';
import { JobFlowAdder, type FlowJob } from './job-flows.js';
import { JobOperations } from './job-operations.js';
import { getBullMqJobOptions } from './job-options.js';
import { BullMqJobQueues, type JobPreparedForBullMq } from './job-queues.js';
import { JobFailureHooks, type JobFailureHook } from './job-failure-hooks.js';
import { JobRunner, type JobHandler } from './job-runner.js';
import { JobWorker } from './job-worker.js';
import {
  addDefaultJobsSettings,
  type AddJobOptions,
  type CompleteJobsSettings,
  type InlineRunner,
  type JobsSettings,
} from './jobs-settings.js';
import { PausedJobKinds } from './paused-job-kinds.js';
import { prepareJobForBullMq } from './prepare-job.js';
import { toStoredJobSchedule, type StoredJobSchedule } from './job-repeat-schedule.js';
import { JobScheduleReconciler } from './job-schedules.js';
import { createTransactionalJobs } from './stored-jobs.js';
import { WorkerProcessRegistration, type WorkerProcessStatistics } from './worker-registry.js';

interface RegisteredJobKind {
  handlers: number;
  /** Function that starts a worker of a kind of job with the registered handler. */
  work: (connection: RedisClient, worker: string) => JobWorker;
  schedule: StoredJobSchedule | null;
}

/**
 * Time limit in milliseconds for requeueing unfinished jobs after the grace period, and for closing connections. The
 * limit applies when Redis does not respond.
 */
const JOBS_CLOSE_TIMEOUT_MS = 3_000;

/**
 * Typed background jobs in Redis. If work must survive the loss of Redis, a row in PostgreSQL must also describe the
 * work.
 */
export class Jobs extends JobOperations {
  private readonly settings: CompleteJobsSettings;
  private readonly registered = new Map<string, RegisteredJobKind>();
  private readonly stopping = new AbortController();
  private schedules: JobScheduleReconciler | null = null;
  private workerRedis: RedisClient | null = null;
  private registration: WorkerProcessRegistration | null = null;
  private pausedKinds: PausedJobKinds | null = null;
  private readonly failureHooks: JobFailureHooks;
  private readonly flows: JobFlowAdder;
  private endListening: (() => Promise<void>) | null = null;
  private isStopping = false;
  private stoppingWorkers: Promise<void> | null = null;

  constructor(settings: JobsSettings) {
    const complete = addDefaultJobsSettings(settings);
    const queues = new BullMqJobQueues(complete);
    super(queues, createTransactionalJobs(queues, complete));
    this.settings = complete;
    this.failureHooks = new JobFailureHooks(complete.logger);
    this.flows = new JobFlowAdder({
      prepare: ({ definition, payload, options }) => this.prepareJob(definition, payload, options),
      keyPrefix: (name) => queues.getKeyPrefixOfKind(name),
      logger: complete.logger,
    });
    // Each kind of job adds a listener, so Node's warning about more than ten listeners does not apply.
    setMaxListeners(0, this.stopping.signal);
  }

  /**
   * Sets the handler of a kind of job. Must be called before {@link start}.
   *
   * @throws QueueUsageError when the job is not among `definitions`
   */
  handle<P, I>(definition: JobDefinition<P, I>, handler: JobHandler<P>): void {
    const { name, repeat } = definition;
    this.queues.assertJobKindDefined(name);
    this.registered.set(name, {
      handlers: (this.registered.get(name)?.handlers ?? 0) + 1,
      work: (connection, worker) => this.startWorker(definition, handler, connection, worker),
      schedule: repeat && toStoredJobSchedule(name, repeat, getBullMqJobOptions(definition)),
    });
  }

  /**
   * Adds a function that is called when a job of a kind has failed permanently, after its last attempt. The function
   * runs in the process of the last attempt, before the job is among the failed jobs. The function is called again if
   * the process dies meanwhile. Errors of the function are logged. Must be called before {@link start}.
   *
   * @throws QueueUsageError when the job is not among `definitions`
   */
  onFailed(job: { readonly name: string }, hook: JobFailureHook): void {
    this.queues.assertJobKindDefined(job.name);
    this.failureHooks.addHookOfJobKind(job.name, hook);
  }

  /**
   * Adds a job to the queue of its kind in Redis.
   *
   * @throws ZodError when the payload does not match the schema
   * @throws RedisUnavailableError immediately while Redis is unavailable, once the first connection attempt has ended
   */
  async add<P, I>(definition: JobDefinition<P, I>, payload: I, options: AddJobOptions = {}): Promise<void> {
    await this.queues.addJobsOfKind(definition.name, [this.prepareJob(definition, payload, options)]);
  }

  /**
   * Adds a job in a transaction. The job commits with the changes of the transaction. It runs after the commit, even if
   * processes die or Redis loses data before the run. After a failure the job may run more than once. `options.id` has
   * the same effect as for {@link add}, and has 1 to 500 characters.
   *
   * @throws ZodError when the payload does not match the schema
   * @throws QueueUsageError when `tx` is no handle of an open transaction, the id is not valid, or the settings have no
   *   outbox
   */
  addInTransaction<P, I>(
    tx: TransactionHandle,
    definition: JobDefinition<P, I>,
    payload: I,
    options: AddJobOptions = {},
  ): void {
    if (options.id !== undefined) assertTextKey('Job id', options.id);
    this.requireTransactionalJobs().addJobRow(tx, this.prepareJob(definition, payload, options));
  }

  /** Adds many jobs of one kind in one round trip. Adds either all jobs or none. */
  async addBulk<P, I>(
    definition: JobDefinition<P, I>,
    jobs: readonly ({ payload: I } & AddJobOptions)[],
  ): Promise<void> {
    if (jobs.length === 0) return;
    const prepared = jobs.map((job) => this.prepareJob(definition, job.payload, job));
    await this.queues.addJobsOfKind(definition.name, prepared);
  }

  /**
   * Adds a flow: a parent job that starts when all its child jobs have ended. A child job may have children too. Adds
   * either all jobs or none. The handler of a parent reads the results of its children with `context.children()`. The
   * ids of all jobs must be new.
   *
   * @throws ZodError when a payload does not match its schema
   * @throws QueueUsageError on a Redis Cluster for a flow with several kinds of jobs, whose keys are on different nodes
   * @throws RedisUnavailableError immediately while Redis is unavailable, once the first connection attempt has ended
   */
  async addFlow(flow: FlowJob): Promise<void> {
    await this.queues.firstRedisConnectionAttempt;
    const queue = this.queues.getQueueOfJobKind(flow.definition.name);
    await this.queues.runCommandsOnAvailableRedis(async () =>
      this.flows.addJobsOfFlow(await this.queues.waitForConnection(queue), flow),
    );
  }

  /**
   * Returns a runner that runs the handler of a kind of job without a job in Redis. The caller must have a PostgreSQL
   * row from which the work can be recovered if this process dies. Returns null while this process runs no jobs.
   */
  inlineRunner<P, I>(definition: JobDefinition<P, I>): InlineRunner<I> | null {
    const worker = this.workers.get(definition.name);
    if (worker === undefined || this.isStopping) return null;
    return {
      hasRoom: (payload) => worker.runner.hasInlineCapacity(payload),
      run: (payload, id, context) => worker.runHandlerInline(payload, id, context),
    };
  }

  /**
   * Starts the workers. Updates the schedules of repeating jobs to match their definitions.
   *
   * @throws QueueUsageError that names every kind of job with no handler or with two handlers
   */
  start(): void {
    const faults = [...this.queues.names].flatMap((name) => {
      const handlers = this.registered.get(name)?.handlers ?? 0;
      return handlers === 1 ? [] : [`${name} has ${handlers === 0 ? 'no handler' : `${handlers} handlers`}`];
    });
    if (faults.length > 0) throw new QueueUsageError(`Jobs: ${faults.join('; ')}`);
    const { redis, logger, clock } = this.settings;
    this.workerRedis = connectRedis(redis, 'worker', logger);
    this.registration = this.startWorkerRegistration(this.workerRedis);
    const requested = new Map<string, StoredJobSchedule>();
    for (const [name, { work, schedule }] of this.registered) {
      this.workers.set(name, work(this.workerRedis, this.registration.name));
      if (schedule) requested.set(name, schedule);
    }
    this.registration.registerAndStartHeartbeats();
    const pausedKinds = this.openPausedKinds(this.workerRedis);
    const listener: OperatorMessageCallbacks = {
      cancel: (job, storedId) => this.workers.get(job)?.runner.cancel(storedId),
      pausesChanged: () => void pausedKinds.refreshPausedKinds().catch(() => undefined),
    };
    this.endListening = listenToOperatorMessages(redis, this.queues.redisKeyPrefix, listener, logger);
    const registryKey = `${this.queues.redisKeyPrefix}schedules`;
    const queue = (name: string): Queue<StoredJobData> => this.queues.getQueueOfJobKind(name);
    this.schedules = new JobScheduleReconciler({
      redis: this.workerRedis,
      registryKey,
      requested,
      queue,
      clock,
      logger,
    });
    this.schedules.startScheduleChecks();
    this.storedJobs?.startRestoringLostJobs();
  }

  /**
   * Stops starting new jobs. Running jobs may continue for `stopGraceMs`. Afterwards the signal of the running jobs is
   * aborted, and the jobs return to the queue without counting an attempt. The stop takes at most 3 s longer than the
   * grace period.
   *
   * This process can still add jobs. On SIGTERM, call this method, then {@link Outbox.stop}, whose last rows may add
   * jobs, and finally {@link stop}.
   */
  stopWorkers(): Promise<void> {
    this.stoppingWorkers ??= this.waitForRunningWork();
    return this.stoppingWorkers;
  }

  /**
   * Stops running jobs, as {@link stopWorkers} does, and closes all connections. The stop takes at most about 7 s
   * longer than the grace period.
   */
  async stop(): Promise<void> {
    await this.stopWorkers();
    const { clock } = this.settings;
    const { promise: late, resolve: giveUp } = createResolvablePromise();
    const limit = clock.setTimeout(giveUp, JOBS_CLOSE_TIMEOUT_MS);
    const left = Promise.all([this.registration?.stopHeartbeatsAndUnregister(), this.endListening?.()]).catch(
      () => undefined,
    );
    await Promise.race([
      Promise.all([left, this.flows.closeFlowProducer().then(() => this.queues.closeAllQueues())]),
      late,
    ]);
    clock.clearTimeout(limit);
    if (this.workerRedis) await closeRedis(this.workerRedis);
  }

  private async waitForRunningWork(): Promise<void> {
    const { clock, stopGraceMs } = this.settings;
    this.isStopping = true;
    this.schedules?.stopScheduleChecks();
    this.pausedKinds?.stopRefreshing();
    const grace = clock.setTimeout(() => this.stopping.abort(), stopGraceMs);
    // Jobs that cannot be requeued in time run again later, like jobs of a killed worker.
    const { promise: late, resolve: giveUp } = createResolvablePromise();
    const limit = clock.setTimeout(giveUp, stopGraceMs + JOBS_CLOSE_TIMEOUT_MS);
    const swept = this.storedJobs?.stopRestoringLostJobs();
    await Promise.race([Promise.all([this.closeWorkers(), swept]), late]);
    clock.clearTimeout(grace);
    clock.clearTimeout(limit);
    // If Redis is unavailable, the workers were not awaited: aborts the jobs that still run.
    this.stopping.abort();
  }

  private prepareJob<P, I>(definition: JobDefinition<P, I>, payload: I, options: AddJobOptions): JobPreparedForBullMq {
    this.queues.assertJobKindDefined(definition.name);
    return prepareJobForBullMq(definition, payload, options, this.settings.context);
  }

  private openPausedKinds(redis: RedisClient): PausedJobKinds {
    const { clock, logger, heartbeatMs } = this.settings;
    const stateKeys = new Map([...this.queues.names].map((name) => [name, this.queues.getQueueStateKey(name)]));
    this.pausedKinds = new PausedJobKinds({ redis, stateKeys, refreshMs: heartbeatMs, clock, logger });
    this.pausedKinds.startRefreshing();
    return this.pausedKinds;
  }

  private startWorkerRegistration(redis: RedisClient): WorkerProcessRegistration {
    const { clock, logger, heartbeatMs } = this.settings;
    const jobs = [...this.queues.names];
    return new WorkerProcessRegistration({
      redis,
      root: this.queues.redisKeyPrefix,
      jobs,
      heartbeatMs,
      clock,
      logger,
      workDone: () => this.getWorkStatistics(),
    });
  }

  private getWorkStatistics(): WorkerProcessStatistics {
    const total = { active: 0, completed: 0, failed: 0, workedMs: 0 };
    for (const { processed, runner } of this.workers.values()) {
      total.active += runner.activeAttemptCount;
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
    const { storedJobs, failureHooks } = this;
    const { clock, logFor, logger, stalledAfterMs } = this.settings;
    const prefix = this.queues.getKeyPrefixOfKind(definition.name);
    const gate = createJobRateLimiter(definition, connection, prefix, clock);
    const runner = new JobRunner(definition, handler, {
      clock,
      stopping: this.stopping.signal,
      logFor,
      gate,
      storedJobs,
      failureHooks,
      isPaused: () => this.pausedKinds?.isJobKindPaused(definition.name) ?? false,
      isStopping: () => this.isStopping,
    });
    return new JobWorker({ definition, runner, worker, connection, prefix, stalledAfterMs, logger });
  }

  private async closeWorkers(): Promise<void> {
    const redisUp = this.workerRedis?.status === 'ready';
    const workers = [...this.workers.values()].flatMap((worker) => [
      worker.closeWorker(!redisUp),
      worker.runner.waitUntilIdle(),
    ]);
    await Promise.allSettled(workers);
  }
}

function createResolvablePromise(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((onResolve) => (resolve = onResolve));
  return { promise, resolve };
}
