import { analyzeChangedTables, RecordedChangeRemover, type Database } from '@switchboard/database';
import { OnJob } from '@switchboard/nest';
import { defineJob, type JobContext } from '@switchboard/queue';
import { z } from 'zod';
import type { ChatRuntime } from './runtime.js';

/** Schema of the empty payload of periodic jobs. */
const emptyJobPayloadSchema = z.strictObject({});

/**
 * Periodic job that runs {@link RecordedChangeRemover} every minute. A run records a database snapshot. Ten minutes
 * later, the job removes rows of `changes.model_changes` whose transactions had ended in that snapshot.
 */
export const removeRecordedChangesJob = defineJob({
  name: 'changes.sweep',
  payload: emptyJobPayloadSchema,
  attempts: 3,
  concurrency: 1,
  repeat: { everyMs: 60_000, payload: {} },
});

/**
 * Periodic job that updates the statistics that PostgreSQL's query planner uses. After a bulk change the statistics are
 * outdated for at most one period of the job.
 */
export const analyzeTablesJob = defineJob({
  name: 'tables.analyze',
  payload: emptyJobPayloadSchema,
  attempts: 1,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 60_000, payload: {} },
});

/** Handlers of the periodic jobs that maintain database tables. */
export class TableMaintenanceJobHandlers {
  readonly #sweep: RecordedChangeRemover;
  readonly #statistics: Database;

  constructor({ database, clock }: Pick<ChatRuntime, 'database' | 'clock'>) {
    this.#sweep = new RecordedChangeRemover(database.background('change sweep'), { nowMs: () => clock.now() });
    this.#statistics = database.background('table statistics');
  }

  /** Removes the change records that cache validity checks no longer need. */
  @OnJob(removeRecordedChangesJob)
  async removeOldRecordedChanges(): Promise<void> {
    await this.#sweep.run();
  }

  /** Updates the planner statistics of the tables that have changed. */
  @OnJob(analyzeTablesJob)
  analyzeTables(_payload: object, { signal }: JobContext): Promise<void> {
    return analyzeChangedTables(this.#statistics, signal);
  }
}
