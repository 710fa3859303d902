import type { Database, Tx } from '@switchboard/database';
import { lockDataSource } from '../database-locks.js';
import { createUnfinishedJobSourceSql } from './sync-job-sql-conditions.js';

/** SQL condition that `j` is an unfinished job of the data source `s`. */
const isUnfinishedJobSql = `${createUnfinishedJobSourceSql('j')} = s.id`;

/** SQL expression of the interval at which the data source `s` is synchronized; null without an interval. */
const syncIntervalSql = 'CASE WHEN s.enabled THEN s.sync_interval END';

/**
 * SQL condition that the data source `s` has an unfinished job that meets a condition. The SQL condition reads one
 * index entry.
 */
const createHasUnfinishedJobSql = (condition: string): string =>
  `(SELECT j.id FROM core_job j WHERE ${isUnfinishedJobSql} AND ${condition} LIMIT 1) IS NOT NULL`;

const createScheduledJobOutdatedSql = (condition: string): string =>
  createHasUnfinishedJobSql(`${condition} AND j.status <> 'running'`);

const selectSourcesToScheduleSql = `SELECT s.id FROM core_datasource s
  WHERE (s.enabled AND s.sync_interval IS NOT NULL AND NOT ${createHasUnfinishedJobSql('j.interval = s.sync_interval')})
    OR ${createScheduledJobOutdatedSql(`j.interval < ${syncIntervalSql}`)} OR ${createScheduledJobOutdatedSql(`j.interval > coalesce(${syncIntervalSql}, 0)`)}`;

const deleteOutdatedSyncJobsSql = `DELETE FROM core_job j USING core_datasource s WHERE s.id = $1 AND ${isUnfinishedJobSql}
  AND j.status <> 'running' AND j.interval > 0 AND j.interval IS DISTINCT FROM ${syncIntervalSql}`;

const insertFirstSyncJobSql = `INSERT INTO core_job (object_type, object_id, name, interval, job_id, queue_name)
  SELECT 'core.datasource', s.id, 'Synchronization', s.sync_interval, gen_random_uuid(), 'default' FROM core_datasource s
  WHERE s.id = $1 AND s.enabled AND s.sync_interval IS NOT NULL
    AND NOT ${createHasUnfinishedJobSql('j.interval = s.sync_interval')}`;

// The time of the next job does not depend on how long this one took. Times that have passed are skipped.
const insertNextSyncJobSql = `INSERT INTO core_job (object_type, object_id, name, status, interval, scheduled, job_id, queue_name)
  SELECT 'core.datasource', s.id, 'Synchronization', 'scheduled', s.sync_interval,
      greatest(coalesce(e.scheduled, e.started) + make_interval(mins => s.sync_interval), clock_timestamp()), gen_random_uuid(), 'default'
  FROM core_job e JOIN core_datasource s ON s.id = e.object_id
  WHERE e.id = $1 AND e.interval IS NOT NULL AND s.enabled AND s.sync_interval IS NOT NULL
    AND NOT ${createHasUnfinishedJobSql('j.interval > 0')}`;

/**
 * Adds jobs for data sources whose interval was set or changed, and removes scheduled jobs of outdated intervals.
 * Several processes can run the function concurrently.
 */
export async function scheduleDataSourceSyncJobs(database: Pick<Database, 'query' | 'inTransaction'>): Promise<void> {
  const { rows } = await database.query<{ id: number }>(selectSourcesToScheduleSql);
  for (const { id } of rows) {
    await database.inTransaction(async (tx) => {
      // The statements after the lock see what other processes have changed meanwhile.
      await lockDataSource(tx, id);
      await tx.query(deleteOutdatedSyncJobsSql, [id]);
      await tx.query(insertFirstSyncJobSql, [id]);
    });
  }
}

/**
 * Schedules the next synchronization job of a data source after a job has ended, if the data source has an interval.
 * Returns true if a job was scheduled.
 */
export async function scheduleNextJob(tx: Tx, jobId: number): Promise<boolean> {
  const { rowCount } = await tx.query(insertNextSyncJobSql, [jobId]);
  return rowCount > 0;
}
