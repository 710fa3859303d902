import type { QueueClock, QueueLogger, TraceContext } from '../environment.js';
import type { FaultPointListener } from '../fault-points.js';
import { decodeDatesInJsonValue } from '../payload-json.js';
import type { ActiveJob } from '../jobs/active-jobs.js';
import type { StoredJobData } from '../jobs/job-attempt.js';
import type { JobDefinition } from '../jobs/define-job.js';
import type { FailedJob, FailedJobFilter, FailedJobPage } from '../jobs/failed-jobs.js';
import { JobFailureHooks, type JobFailureHook } from '../jobs/job-failure-hooks.js';
import type { JobState, JobWithState } from '../jobs/job-with-state.js';
import type { JobListFilter } from '../jobs/listed-jobs.js';
import type { FlowJob } from '../jobs/job-flows.js';
import { toAddedJobId } from '../jobs/job-ids.js';
import type { JobPreparedForBullMq } from '../jobs/job-queues.js';
import { getJobMessageTypeName } from '../jobs/job-rows.js';
import type { JobHandler } from '../jobs/job-runner.js';
import type { AddJobOptions, JobMetrics } from '../jobs/jobs-settings.js';
import type { Jobs } from '../jobs/jobs.js';
import { prepareJobForBullMq } from '../jobs/prepare-job.js';
import type { WorkerProcess } from '../jobs/worker-registry.js';
import { assertTextKey } from '../assert-text-key.js';
import { transactionHandle, type TransactionHandle } from '../transaction-handle.js';
import { QueueUsageError } from '../queue-usage-error.js';
import { countSizesWithin, DEFAULT_MAX_READ_BYTES } from '../size-limits.js';
import {
  countBytesOfMemoryJob,
  describeFailedMemoryJob,
  describeMemoryJob,
  shortenFailedMemoryJob,
  shortenMemoryJob,
  type MemoryJob,
} from './memory-job.js';
import { MemoryJobRunner } from './memory-job-runner.js';
import { MemoryJobStore } from './memory-job-store.js';
import type { MemoryOutbox } from './memory-outbox.js';
import type { MemoryOutboxRow } from './memory-rows.js';
import type { PublicMembersOfClass } from './public-members.js';

export interface MemoryJobsOptions {
  readonly outbox: MemoryOutbox;
  readonly definitions: readonly { readonly name: string }[];
  readonly clock: QueueClock;
  readonly logger: QueueLogger;
  readonly context: () => TraceContext;
  readonly faultPoint: FaultPointListener;
  readonly rethrowCrash: () => void;
}

/** Replacement of {@link Jobs} in tests, with jobs in memory. Added jobs wait for {@link MemoryJobs.runReadyJobs}. */
export class MemoryJobs implements PublicMembersOfClass<Jobs> {
  readonly store: MemoryJobStore;
  private readonly names: ReadonlySet<string>;
  private readonly handlers = new Map<string, number>();
  private readonly runners = new Map<
    string,
    Pick<MemoryJobRunner<never>, 'run' | 'cancel' | 'failWithoutAttempt' | 'processed'>
  >();
  private readonly failureHooks: JobFailureHooks;
  private readonly paused = new Set<string>();
  /** Ids of the outbox rows of jobs that were added in transactions and have not run. */
  private readonly rows = new Set<number>();

  constructor(private readonly options: MemoryJobsOptions) {
    this.store = new MemoryJobStore(options.clock);
    this.names = new Set(options.definitions.map(({ name }) => name));
    this.failureHooks = new JobFailureHooks(options.logger);
    for (const name of this.names)
      options.outbox.registerRowReceiver(getJobMessageTypeName(name), (row) => this.addJobOfRow(row));
  }

  handle<P, I>(definition: JobDefinition<P, I>, handler: JobHandler<P>): void {
    const { name } = definition;
    this.assertJobKindDefined(name);
    this.handlers.set(name, (this.handlers.get(name) ?? 0) + 1);
    const { rows, failureHooks } = this;
    this.runners.set(name, new MemoryJobRunner(definition, handler, { ...this.options, rows, failureHooks }));
  }

  onFailed(job: { readonly name: string }, hook: JobFailureHook): void {
    this.assertJobKindDefined(job.name);
    this.failureHooks.addHookOfJobKind(job.name, hook);
  }

  async add<P, I>(definition: JobDefinition<P, I>, payload: I, options: AddJobOptions = {}): Promise<void> {
    this.store.addJob(this.prepareMemoryJob(definition, payload, options));
  }

  async addBulk<P, I>(
    definition: JobDefinition<P, I>,
    jobs: readonly ({ payload: I } & AddJobOptions)[],
  ): Promise<void> {
    const prepared = jobs.map((job) => this.prepareMemoryJob(definition, job.payload, job));
    for (const job of prepared) this.store.addJob(job);
  }

  addInTransaction<P, I>(
    tx: TransactionHandle,
    definition: JobDefinition<P, I>,
    payload: I,
    options: AddJobOptions = {},
  ): void {
    if (options.id !== undefined) assertTextKey('Job id', options.id);
    const prepared = this.prepareMemoryJob(definition, payload, options);
    this.options.outbox.addRow(tx, {
      topic: getJobMessageTypeName(definition.name),
      realm: '',
      version: 1,
      payload: JSON.stringify(prepared),
      key: toAddedJobId(prepared.opts.jobId),
      notBefore: null,
      audience: null,
      weight: 1,
    });
  }

  async addFlow(flow: FlowJob): Promise<void> {
    const prepared = new Map<FlowJob, JobPreparedForBullMq>();
    const prepareAll = (job: FlowJob): void => {
      prepared.set(job, this.prepareMemoryJob(job.definition, job.payload, job.options));
      job.options.children?.forEach(prepareAll);
    };
    prepareAll(flow);
    const addAll = (job: FlowJob, parent: MemoryJob | null): void => {
      const own = prepared.get(job);
      if (own === undefined) return;
      const added = this.store.addJob(own);
      added.parent = parent;
      added.ignoresFailure = job.options.onFailure === 'ignore';
      parent?.children.push(added);
      const { children = [] } = job.options;
      if (children.length > 0) added.state = 'waiting-children';
      for (const child of children) addAll(child, added);
    };
    addAll(flow, null);
  }

  /** Returns null, like the method of a process without workers. The caller must then add a job. */
  inlineRunner(): null {
    return null;
  }

  start(): void {
    const faults = [...this.names].flatMap((name) => {
      const handlers = this.handlers.get(name) ?? 0;
      return handlers === 1 ? [] : [`${name} has ${handlers === 0 ? 'no handler' : `${handlers} handlers`}`];
    });
    if (faults.length > 0) throw new QueueUsageError(`Jobs: ${faults.join('; ')}`);
  }

  async stopWorkers(): Promise<void> {}

  async stop(): Promise<void> {}

  /**
   * Runs one attempt of each ready job. Jobs without a priority run first. Returns the number of attempts. Jobs without
   * a handler wait.
   */
  async runReadyJobs(): Promise<number> {
    const now = this.options.clock.now();
    const ready = this.store.listJobs().filter((job) => this.isJobReady(job, now));
    const inOrder = ready.toSorted((left, right) => left.priority - right.priority);
    for (const job of inOrder) {
      await this.runners.get(job.name)?.run(job);
      await this.endFinishedJob(job);
    }
    return inOrder.length;
  }

  async pending(job: { readonly name: string }, ids: readonly string[]): Promise<Set<string>> {
    this.assertJobKindDefined(job.name);
    const states = new Set<string | undefined>(['waiting', 'delayed']);
    return new Set(ids.filter((id) => states.has(this.store.findJobByOriginalId(job.name, id)?.state)));
  }

  get kinds(): readonly string[] {
    return [...this.names];
  }

  async counts(job: { readonly name: string }): Promise<Record<JobState, number>> {
    const counts = { waiting: 0, delayed: 0, active: 0, 'waiting-children': 0, completed: 0, failed: 0 };
    for (const { described } of this.describeJobsOfKind(job.name)) counts[described.state] += 1;
    return counts;
  }

  async list(job: { readonly name: string }, filter: JobListFilter): Promise<JobWithState[]> {
    const { states, offset = 0, limit = 100, maxBytes = DEFAULT_MAX_READ_BYTES } = filter;
    const newestFirst = this.describeJobsOfKind(job.name).toReversed();
    const listed = states.flatMap((state) =>
      newestFirst.filter(({ described }) => described.state === state).slice(offset, offset + Math.min(limit, 1_000)),
    );
    const sizes = listed.map(({ stored }) => countBytesOfMemoryJob(stored));
    const completeCount = countSizesWithin(maxBytes, sizes);
    return listed.map(({ described }, index) => (index < completeCount ? described : shortenMemoryJob(described)));
  }

  async active(job?: { readonly name: string }): Promise<ActiveJob[]> {
    if (job) this.assertJobKindDefined(job.name);
    const active = this.store.listJobs(job?.name).filter(({ state }) => state === 'active');
    return active.map(({ name, id, data, startedMs }) => ({
      job: name,
      id: toAddedJobId(id),
      payload: decodeDatesInJsonValue(data.payload),
      startedAt: new Date(startedMs ?? 0),
      worker: 'memory',
    }));
  }

  async cancel(job: { readonly name: string }, id: string): Promise<boolean> {
    this.assertJobKindDefined(job.name);
    const found = this.store.findJobByOriginalId(job.name, id);
    const isRemoved = this.removeRowOfJob(found);
    if (found?.state !== 'active') return isRemoved;
    this.runners.get(job.name)?.cancel(found);
    return true;
  }

  async cancelInTransaction(tx: TransactionHandle, job: { readonly name: string }, id: string): Promise<boolean> {
    this.assertJobKindDefined(job.name);
    transactionHandle(tx);
    const found = this.store.findJobByOriginalId(job.name, id);
    if (found?.data.row === undefined || !this.rows.has(found.data.row)) return false;
    this.options.outbox.runAfterCommit(tx, () => void this.removeRowOfJob(found));
    return true;
  }

  async pause(job: { readonly name: string }): Promise<void> {
    this.assertJobKindDefined(job.name);
    this.paused.add(job.name);
  }

  async resume(job: { readonly name: string }): Promise<void> {
    this.assertJobKindDefined(job.name);
    this.paused.delete(job.name);
  }

  async isPaused(job: { readonly name: string }): Promise<boolean> {
    this.assertJobKindDefined(job.name);
    return this.paused.has(job.name);
  }

  async find(job: { readonly name: string }, id: string): Promise<JobWithState | null> {
    this.assertJobKindDefined(job.name);
    const found = this.store.findJobByOriginalId(job.name, id);
    return found && describeMemoryJob(found, this.options.clock.now());
  }

  async workingProcesses(): Promise<WorkerProcess[]> {
    return [];
  }

  async failed(filter: FailedJobFilter & FailedJobPage = {}): Promise<FailedJob[]> {
    const { offset = 0, limit = 100, maxBytes = DEFAULT_MAX_READ_BYTES } = filter;
    const newestFirst = this.listMatchingFailedJobs(filter).toSorted(
      (a, b) => (b.finishedMs ?? 0) - (a.finishedMs ?? 0),
    );
    const page = newestFirst.slice(offset, offset + limit);
    const completeCount = countSizesWithin(maxBytes, page.map(countBytesOfMemoryJob));
    return page.map((job, index) =>
      index < completeCount ? describeFailedMemoryJob(job) : shortenFailedMemoryJob(describeFailedMemoryJob(job)),
    );
  }

  async findFailed(job: { readonly name: string }, id: string): Promise<FailedJob | null> {
    this.assertJobKindDefined(job.name);
    const found = this.store.findJobByOriginalId(job.name, id);
    return found?.state === 'failed' ? describeFailedMemoryJob(found) : null;
  }

  async requeue(job: { readonly name: string }, id: string): Promise<boolean> {
    this.assertJobKindDefined(job.name);
    const found = this.store.findJobByOriginalId(job.name, id);
    if (found?.state !== 'failed') return false;
    this.requeueFailedMemoryJob(found);
    return true;
  }

  async removeFailed(job: { readonly name: string }, id: string): Promise<boolean> {
    this.assertJobKindDefined(job.name);
    const found = this.store.findJobByOriginalId(job.name, id);
    if (found?.state !== 'failed') return false;
    this.store.removeJob(found);
    return true;
  }

  async requeueFailed(filter: FailedJobFilter): Promise<number> {
    const jobs = this.listMatchingFailedJobs(filter);
    for (const job of jobs) this.requeueFailedMemoryJob(job);
    return jobs.length;
  }

  async metrics(): Promise<JobMetrics[]> {
    const now = this.options.clock.now();
    return [...this.names].map((job) => {
      const states = this.store.listJobs(job).map((stored) => describeMemoryJob(stored, now).state);
      const count = (state: string): number => states.filter((other) => other === state).length;
      const processed = { ...(this.runners.get(job)?.processed ?? { completed: 0, failed: 0 }) };
      const [waiting, active, delayed, failed] = ['waiting', 'active', 'delayed', 'failed'].map(count) as [
        number,
        number,
        number,
        number,
      ];
      return { job, waiting, active, delayed, failed, processed };
    });
  }

  private describeJobsOfKind(name: string): { stored: MemoryJob; described: JobWithState }[] {
    this.assertJobKindDefined(name);
    const now = this.options.clock.now();
    return this.store.listJobs(name).map((stored) => ({ stored, described: describeMemoryJob(stored, now) }));
  }

  private prepareMemoryJob<P, I>(
    definition: JobDefinition<P, I>,
    payload: I,
    options: AddJobOptions,
  ): JobPreparedForBullMq {
    this.assertJobKindDefined(definition.name);
    return prepareJobForBullMq(definition, payload, options, this.options.context);
  }

  /** Adds the job of a committed outbox row to the jobs in memory. */
  private addJobOfRow({ id, row }: MemoryOutboxRow): void {
    const { name, data, opts } = JSON.parse(row.payload) as JobPreparedForBullMq & { readonly data: StoredJobData };
    const job = this.store.addJob({ name, data: { ...data, row: id }, opts });
    if (job.data.row === id) this.rows.add(id);
  }

  private removeRowOfJob(job: MemoryJob | null): boolean {
    return job?.data.row !== undefined && this.rows.delete(job.data.row);
  }

  private isJobReady(job: MemoryJob, now: number): boolean {
    if (!this.runners.has(job.name) || this.paused.has(job.name)) return false;
    return (job.state === 'waiting' || job.state === 'delayed') && job.readyMs <= now;
  }

  /** Ends a finished job: removes the job unless it is retained, and continues or fails its parent job. */
  private async endFinishedJob(job: MemoryJob): Promise<void> {
    if (job.state === 'completed' && job.opts.removeOnComplete === true) this.store.removeJob(job);
    const { parent } = job;
    if (parent?.state !== 'waiting-children') return;
    if (job.state === 'failed' && !job.ignoresFailure) {
      await this.runners.get(parent.name)?.failWithoutAttempt(parent, `child ${job.name}:${job.id} failed`);
      await this.endFinishedJob(parent);
      return;
    }
    const isEnded = ({ state }: MemoryJob): boolean => state === 'completed' || state === 'failed';
    if (parent.children.every(isEnded)) parent.state = 'waiting';
  }

  private listMatchingFailedJobs({ job, error, since, until }: FailedJobFilter): MemoryJob[] {
    if (job) this.assertJobKindDefined(job.name);
    return this.store.listJobs(job?.name).filter(({ state, finishedMs, error: found }) => {
      const failedMs = finishedMs ?? 0;
      if (state !== 'failed' || (since && failedMs < since.getTime())) return false;
      return !(until && failedMs >= until.getTime()) && (error === undefined || (found ?? '').includes(error));
    });
  }

  private requeueFailedMemoryJob(job: MemoryJob): void {
    Object.assign(job, { state: 'waiting', attemptsMade: 0, finishedMs: null, readyMs: this.options.clock.now() });
  }

  private assertJobKindDefined(name: string): void {
    if (!this.names.has(name)) throw new QueueUsageError(`Job ${name} is not among the definitions given to Jobs`);
  }
}
