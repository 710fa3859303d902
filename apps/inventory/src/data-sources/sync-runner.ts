import type { SecretTextEncryptor } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { Clock, Logger } from '@switchboard/platform';
import { PeriodicTask, type Outbox } from '@switchboard/queue';
import type { ObjectJsonSqlCache } from '../engine/read/object-json-sql.js';
import type { ObjectRemover } from '../engine/write/object-remover.js';
import type { ObjectWriter } from '../engine/write/object-writer.js';
import { DataSourceJobEventEmitter } from './emit-sync-job-events.js';
import type { DataSourceSettings } from './data-source-settings.js';
import {
  type ClaimedSyncJob,
  claimSyncJob,
  SYNC_JOB_LEASE_MS,
  listDueSyncJobs,
  returnSyncJobToQueue,
  extendJobLease,
} from './data-source-sync-jobs.js';
import { scheduleDataSourceSyncJobs } from './schedule-sync-jobs.js';
import { JobLostError } from './data-source-sync-error.js';
import { synchronizeDataSource } from './synchronize-data-source.js';

/** Interval between two queries for due data source jobs, in milliseconds. */
const DUE_SYNC_JOB_POLL_MS = 1_000;

export interface DataSourceSyncRunnerOptions {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly shapes: ObjectJsonSqlCache;
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  readonly settings: DataSourceSettings;
  readonly keys: { readonly box: Pick<SecretTextEncryptor, 'open'> };
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Runs the jobs that synchronize data sources, one at a time. Several processes can run jobs concurrently. A job
 * belongs to the process that claimed the job until the lease ends. Jobs of one data source run one after another.
 */
export class DataSourceSyncRunner {
  readonly #task: PeriodicTask;
  readonly #events: DataSourceJobEventEmitter;
  readonly #stopping = new AbortController();

  constructor(private readonly options: DataSourceSyncRunnerOptions) {
    const { clock, logger } = options;
    this.#events = new DataSourceJobEventEmitter(options);
    this.#task = new PeriodicTask({
      clock,
      run: () => this.scheduleAndRunDueJobs(),
      failed: (err) => logger.warn({ err }, 'jobs of data sources could not be run'),
      restMs: () => DUE_SYNC_JOB_POLL_MS,
    });
  }

  /** Starts the runner, which queries for due synchronization jobs immediately and then repeatedly. */
  start(): void {
    this.#task.start();
  }

  /** Stops the runner. The running synchronization job is aborted and returned to the queue. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#task.stop();
  }

  /**
   * Schedules a job for each data source that has a sync interval, then runs all due synchronization jobs one after
   * another.
   */
  async scheduleAndRunDueJobs(): Promise<void> {
    await scheduleDataSourceSyncJobs(this.options.database);
    for (let job = await this.claimNextJob(); job !== null; job = await this.claimNextJob())
      await this.runClaimedJob(job);
  }

  /** Claims a due synchronization job for this process. Returns null if no job is due, or after {@link stop}. */
  async claimNextJob(): Promise<ClaimedSyncJob | null> {
    if (this.#stopping.signal.aborted) return null;
    const { database } = this.options;
    for (const due of await listDueSyncJobs(database)) {
      const job = await database.inTransaction((tx) => claimSyncJob(tx, due, this.#events));
      if (job !== null) return job;
    }
    return null;
  }

  /** Runs a claimed synchronization job, and logs errors that are not recorded in the job. */
  async runClaimedJob(job: ClaimedSyncJob): Promise<void> {
    const { database, clock, logger } = this.options;
    const lost = new AbortController();
    const renewing = new PeriodicTask({
      clock,
      run: async () => {
        if (!(await database.inTransaction((tx) => extendJobLease(tx, job)))) lost.abort();
      },
      failed: (err) => logger.warn({ err, job: job.id }, 'the lease of a job could not be renewed'),
      restMs: () => SYNC_JOB_LEASE_MS / 3,
    });
    renewing.start();
    const signal = AbortSignal.any([this.#stopping.signal, lost.signal]);
    try {
      await synchronizeDataSource(job, { ...this.options, events: this.#events, signal });
    } catch (error) {
      if (this.#stopping.signal.aborted) await database.inTransaction((tx) => returnSyncJobToQueue(tx, job));
      else if (error instanceof JobLostError || lost.signal.aborted) {
        logger.warn({ job: job.id }, 'a job was taken over by another process, or its data source was deleted');
        // Without a result the job begins again when its lease has ended.
      } else logger.error({ err: error, job: job.id }, 'a data source could not be synchronized');
    } finally {
      await renewing.stop();
    }
  }
}
