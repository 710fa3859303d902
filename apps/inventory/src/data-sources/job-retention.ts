import { DailyCleanup, type DailyCleanupOptions, repeatStatement } from '../daily-cleanup.js';

const removeFinishedJobsStatement = repeatStatement(`DELETE FROM core_job WHERE id IN (
  SELECT id FROM core_job WHERE created < $2::timestamptz AND status IN ('completed', 'errored', 'failed')
   ORDER BY created LIMIT $1)`);

/** Creates the daily cleanup of finished jobs. */
export function jobRetention(options: Omit<DailyCleanupOptions, 'what' | 'removals'>): DailyCleanup {
  return new DailyCleanup({ ...options, what: 'jobs', removals: [removeFinishedJobsStatement] });
}
