import {
  ExpiredRowsDailyCleanup,
  type ExpiredRowsDailyCleanupOptions,
  createRepeatedDeleteFunction,
} from '../daily-cleanup.js';

// Rows are deleted by their positions, so that no statistics make the planner read all jobs.
const deleteFinishedSyncJobs = createRepeatedDeleteFunction(`DELETE FROM core_job WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM core_job WHERE created < $2::timestamptz AND (status IN ('completed', 'errored', 'failed'))::int <> 0
   ORDER BY created LIMIT $1 FOR UPDATE SKIP LOCKED))`);

/** Creates the daily cleanup of finished data source jobs. */
export function createFinishedSyncJobsCleanup(
  options: Omit<ExpiredRowsDailyCleanupOptions, 'what' | 'removals'>,
): ExpiredRowsDailyCleanup {
  return new ExpiredRowsDailyCleanup({ ...options, what: 'jobs', removals: [deleteFinishedSyncJobs] });
}
