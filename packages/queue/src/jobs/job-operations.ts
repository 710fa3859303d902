import type { Job } from 'bullmq';
import { transactionHandle, type TransactionHandle } from '../transaction-handle.js';
import { QueueUsageError } from '../queue-usage-error.js';
import { listActiveJobs, requestJobCancellation, pauseOrResumeJobKind, type ActiveJob } from './active-jobs.js';
import type { StoredJobData } from './job-attempt.js';
import { FailedJobs, type FailedJob, type FailedJobFilter, type FailedJobPage } from './failed-jobs.js';
import { describeStoredJob, type JobState, type JobWithState } from './job-with-state.js';
import { toStoredJobId, listPossibleStoredJobIds } from './job-ids.js';
import type { BullMqJobQueues } from './job-queues.js';
import { countJobsByState, listJobsInStates, type JobListFilter } from './listed-jobs.js';
import type { JobWorker } from './job-worker.js';
import type { JobMetrics } from './jobs-settings.js';
import type { TransactionalJobs } from './stored-jobs.js';
import { listWorkerProcesses, type WorkerProcess } from './worker-registry.js';

const waitingOrDelayedJobStates: ReadonlySet<string> = new Set(['waiting', 'delayed', 'prioritized']);

/** Reads and changes the jobs of a deployment, for operators and periodic checks. */
export abstract class JobOperations {
  /** Job workers of this process, by name of the kind of job. */
  protected readonly workers = new Map<string, JobWorker>();
  private readonly failures: FailedJobs;

  constructor(
    protected readonly queues: BullMqJobQueues,
    /** Jobs that were added in transactions; null if the settings have no outbox. */
    protected readonly storedJobs: TransactionalJobs | null,
  ) {
    const beforeRequeue = async (jobs: readonly Job<StoredJobData>[]): Promise<void> =>
      storedJobs?.requeueDeadLettersOfJobs(jobs);
    this.failures = new FailedJobs(queues, beforeRequeue);
  }

  /**
   * Returns those of the given job ids whose jobs are waiting or delayed. Running jobs are not included, because their
   * process may be dead. Callers use the result to add lost jobs again.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async pending(job: { readonly name: string }, ids: readonly string[]): Promise<Set<string>> {
    this.queues.assertJobKindDefined(job.name);
    await this.queues.firstRedisConnectionAttempt;
    const queue = this.queues.getQueueOfJobKind(job.name);
    const states = await Promise.all(ids.map((id) => queue.getJobState(toStoredJobId(id))));
    return new Set(ids.filter((_, index) => waitingOrDelayedJobStates.has(states[index] ?? 'unknown')));
  }

  /** Names of all kinds of jobs of the service. */
  get kinds(): readonly string[] {
    return [...this.queues.names];
  }

  /**
   * Counts the jobs of one kind by state, without jobs that Redis has lost.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async counts(job: { readonly name: string }): Promise<Record<JobState, number>> {
    this.queues.assertJobKindDefined(job.name);
    return this.queues.runCommandsOnAvailableRedis(() => countJobsByState(this.queues.getQueueOfJobKind(job.name)));
  }

  /**
   * Lists the jobs of one kind in the given states, newest first in each state. Jobs that Redis has lost are missing.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async list(job: { readonly name: string }, filter: JobListFilter): Promise<JobWithState[]> {
    this.queues.assertJobKindDefined(job.name);
    return this.queues.runCommandsOnAvailableRedis(async () => {
      const queue = this.queues.getQueueOfJobKind(job.name);
      return listJobsInStates(queue, await this.queues.waitForConnection(queue), filter);
    });
  }

  /**
   * Lists the running jobs of one kind or of all kinds.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async active(job?: { readonly name: string }): Promise<ActiveJob[]> {
    if (job) this.queues.assertJobKindDefined(job.name);
    const names = job ? [job.name] : [...this.queues.names];
    const active = await this.queues.runCommandsOnAvailableRedis(() =>
      Promise.all(names.map((name) => listActiveJobs(this.queues.getQueueOfJobKind(name)))),
    );
    return active.flat();
  }

  /**
   * Cancels a job. The running attempt in any process is ended: its signal is aborted, and the job fails permanently
   * with `JobCancelledError`. A job that was added in a transaction and does not run yet never starts. Returns false if
   * the job does not exist, or its process no longer exists. An inline run of {@link Jobs.inlineRunner} with this id is
   * cancelled too, but has no effect on the return value.
   *
   * @throws RedisUnavailableError while Redis is unavailable; a row of the job is removed nevertheless
   */
  async cancel(job: { readonly name: string }, id: string): Promise<boolean> {
    this.queues.assertJobKindDefined(job.name);
    const isRemoved = (await this.storedJobs?.removeRowsOfCancelledJob(job.name, id)) ?? false;
    const queue = this.queues.getQueueOfJobKind(job.name);
    const isEnded = await this.queues.runCommandsOnAvailableRedis(async () =>
      requestJobCancellation(queue, await this.queues.waitForConnection(queue), this.queues.redisKeyPrefix, id),
    );
    return isRemoved || isEnded;
  }

  /**
   * Cancels a job that was added in a transaction: the job does not start after the commit of `tx`. A running attempt
   * is not ended. Returns false if the job has run, or was never added.
   *
   * @throws QueueUsageError when `tx` is no handle of an open transaction, or the settings have no outbox
   */
  async cancelInTransaction(tx: TransactionHandle, job: { readonly name: string }, id: string): Promise<boolean> {
    this.queues.assertJobKindDefined(job.name);
    return this.requireTransactionalJobs().removeRowsOfCancelledJob(job.name, id, transactionHandle(tx));
  }

  /**
   * Pauses a kind of job in all processes: no attempt starts until {@link resume}. Running attempts continue, and jobs
   * can be added. The pause is stored in Redis; if Redis loses its data, the jobs run again.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async pause(job: { readonly name: string }): Promise<void> {
    await this.pauseOrResumeKind(job.name, true);
  }

  /**
   * Resumes a kind of job in all processes. Has no effect if the kind of job is not paused.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async resume(job: { readonly name: string }): Promise<void> {
    await this.pauseOrResumeKind(job.name, false);
  }

  /** @throws RedisUnavailableError if the pause state of a kind of job is read while Redis is unavailable */
  async isPaused(job: { readonly name: string }): Promise<boolean> {
    this.queues.assertJobKindDefined(job.name);
    return this.queues.runCommandsOnAvailableRedis(() => this.queues.getQueueOfJobKind(job.name).isPaused());
  }

  private async pauseOrResumeKind(name: string, isPaused: boolean): Promise<void> {
    this.queues.assertJobKindDefined(name);
    const queue = this.queues.getQueueOfJobKind(name);
    await this.queues.runCommandsOnAvailableRedis(async () =>
      pauseOrResumeJobKind(queue, await this.queues.waitForConnection(queue), this.queues.redisKeyPrefix, isPaused),
    );
  }

  /**
   * Returns a job with its state, progress and result. A completed job is retained for `keepCompletedSeconds` of its
   * definition. A failed job is retained while among the newest 10,000 failed jobs. Returns null for an unknown or no
   * longer retained job. Also finds a job that was added in a transaction and is not yet, or no longer, in Redis.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async find(job: { readonly name: string }, id: string): Promise<JobWithState | null> {
    this.queues.assertJobKindDefined(job.name);
    return this.queues.runCommandsOnAvailableRedis(async () => {
      for (const stored of listPossibleStoredJobIds(id)) {
        const found = await this.queues.getQueueOfJobKind(job.name).getJob(stored);
        const described = found ? await describeStoredJob(found) : null;
        if (described) return described;
      }
      return (await this.storedJobs?.findJobByRow(job.name, id)) ?? null;
    });
  }

  /**
   * Lists the worker processes of this deployment. A dead process is listed until several of its heartbeats are
   * missing.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async workingProcesses(): Promise<WorkerProcess[]> {
    const [name] = this.queues.names;
    if (name === undefined) return [];
    return this.queues.runCommandsOnAvailableRedis(async () =>
      listWorkerProcesses(
        await this.queues.waitForConnection(this.queues.getQueueOfJobKind(name)),
        this.queues.redisKeyPrefix,
      ),
    );
  }

  /**
   * Lists permanently failed jobs, newest first, of one kind or of all kinds. Without a limit, returns the newest 100
   * jobs. Jobs beyond `maxBytes` (4 MiB) are listed without payload, context and stack trace, which {@link findFailed}
   * returns.
   */
  async failed(filter: FailedJobFilter & FailedJobPage = {}): Promise<FailedJob[]> {
    if (filter.job) this.queues.assertJobKindDefined(filter.job.name);
    return this.failures.listFailedJobs(filter, filter);
  }

  /** Returns a permanently failed job, or null for an unknown id. */
  async findFailed(job: { readonly name: string }, id: string): Promise<FailedJob | null> {
    this.queues.assertJobKindDefined(job.name);
    return this.failures.findFailedJob(job.name, id);
  }

  /**
   * Requeues a failed job with all attempts, even if Redis has lost the job and its outbox row is a dead letter.
   * Returns false if no failed job has this id.
   */
  async requeue(job: { readonly name: string }, id: string): Promise<boolean> {
    this.queues.assertJobKindDefined(job.name);
    return (
      (await this.failures.requeueFailedJob(job.name, id)) ||
      ((await this.storedJobs?.requeueDeadLetterJob(job.name, id)) ?? false)
    );
  }

  /**
   * Removes a failed job, and the dead letter of a job that was added in a transaction. Returns false if no failed job
   * has this id.
   *
   * @throws RedisUnavailableError while Redis is unavailable; the dead letter is removed nevertheless
   */
  async removeFailed(job: { readonly name: string }, id: string): Promise<boolean> {
    this.queues.assertJobKindDefined(job.name);
    const isDiscarded = (await this.storedJobs?.discardDeadLetterJob(job.name, id)) ?? false;
    const isRemoved = await this.queues.runCommandsOnAvailableRedis(() => this.failures.removeFailedJob(job.name, id));
    return isRemoved || isDiscarded;
  }

  /** Requeues all failed jobs that match `filter`. Returns the number of requeued jobs. */
  async requeueFailed(filter: FailedJobFilter): Promise<number> {
    if (filter.job) this.queues.assertJobKindDefined(filter.job.name);
    return this.failures.requeueMatchingFailedJobs(filter);
  }

  /**
   * Returns metrics of each kind of job.
   *
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async metrics(): Promise<JobMetrics[]> {
    const kinds = [...this.queues.names].map(async (job) => {
      const counts = await this.queues
        .getQueueOfJobKind(job)
        .getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
      const { prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
      const waiting = (counts['waiting'] ?? 0) + prioritized;
      const processed = { ...(this.workers.get(job)?.processed ?? { completed: 0, failed: 0 }) };
      return { job, waiting, active, delayed, failed, processed };
    });
    return Promise.all(kinds);
  }

  /** @throws QueueUsageError if the settings of the jobs have no outbox */
  protected requireTransactionalJobs(): TransactionalJobs {
    if (this.storedJobs) return this.storedJobs;
    throw new QueueUsageError('Jobs are added in transactions only if the setting outbox is given to Jobs');
  }
}
