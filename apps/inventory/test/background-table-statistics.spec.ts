import type { Tx } from '@switchboard/database';
import { systemClock } from '@switchboard/platform';
import { silentLogger } from '@switchboard/queue';
import type { TestDatabase } from '@switchboard/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFinishedSyncJobsCleanup } from '../src/data-sources/sync-job-retention.js';
import { scheduleNextJob, scheduleDataSourceSyncJobs } from '../src/data-sources/schedule-sync-jobs.js';
import {
  claimSyncJob,
  listDueSyncJobs,
  lockDataSourceOfJob,
  returnSyncJobToQueue,
  extendJobLease,
} from '../src/data-sources/data-source-sync-jobs.js';
import {
  countBackgroundTasks,
  enqueueDelivery,
  findBackgroundTask,
  listRunningAttempts,
  listBackgroundTaskPlaces,
  removeDelivery,
  stopDelivery,
  type BackgroundTaskPageRequest,
} from '../src/webhooks/delivery-task-store.js';
import { readTasksWithFirstPayloads } from '../src/webhooks/read-listed-tasks.js';
import { inventoryDatabase } from './support/test-service.js';
import { countReads, statisticsStates, type TableRows } from './support/count-table-reads.js';

/**
 * An SQL statement to test, with the maximum number of rows that the statement may read. A function runs the statement
 * for the id of a row.
 */
type Statement<Id> = readonly [string, number, (tx: Tx, id: Id) => Promise<unknown>];

/** A tested table, with its rows and with the SQL query for the id that is passed to the tested statements. */
interface TestedTable extends TableRows {
  readonly table: string;
  readonly findId: string;
}

/**
 * Defines tests of how many rows the statements read from a table. The tests run in each state of PostgreSQL's table
 * statistics.
 */
function describeReads<Id>({ table, findId, ...rows }: TestedTable, statements: readonly Statement<Id>[]): void {
  describe.each(statisticsStates)(`statements on ${table} with %s`, (_, prepare) => {
    let pool: pg.Pool;
    let database: TestDatabase;
    let id: Id;
    beforeAll(async () => {
      database = await inventoryDatabase(true);
      pool = new pg.Pool({ connectionString: database.url, max: 1 });
      pool.on('error', () => {});
      await pool.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
      await prepare((sql) => pool.query(sql), table, rows);
      ({ id } = (await pool.query<{ id: Id }>(findId)).rows[0]!);
    });
    afterAll(async () => {
      await pool.end();
      await database.release();
    });

    it.each(statements)('read few rows of the table: %s', async (_name, limit, run) => {
      const read = await countReads(pool, table, (tx) => run(tx, id));
      expect(Math.max(...Object.values(read)), JSON.stringify(read)).toBeLessThanOrEqual(limit);
    });
  });
}

/** Number of rows that the cleanup deletes in one batch. */
const BATCH = 100;

const events = { emitJobEvent: async () => {} } as unknown as Parameters<typeof claimSyncJob>[2];
const running = (id: number) =>
  ({ id, attempt: 1, source: { id: 1 } }) as unknown as Parameters<typeof extendJobLease>[1];

/** Runs the cleanup of old jobs. {@link BATCH} rows are expired, so that the cleanup deletes one batch. */
const removeExpiredJobs = (database: Tx): Promise<number> =>
  createFinishedSyncJobsCleanup({
    database,
    days: 90,
    clock: systemClock,
    logger: silentLogger,
    batchSize: BATCH,
  }).deleteExpiredRows();

describeReads<number>(
  {
    table: 'core_job',
    // The running job.
    findId: `SELECT id::float8 AS id FROM core_job WHERE status = 'running'`,
    insertOld: (count) => `INSERT INTO core_job (object_type, object_id, name, status, job_id)
      SELECT 'core.datasource', n % 200 + 1, 'Synchronization', 'pending', gen_random_uuid() FROM generate_series(1, ${count}) n`,
    insertAll: [
      `INSERT INTO core_datasource (name, type, source_url, enabled, sync_interval)
       SELECT 'Source ' || n, 'local', '/', true, 60 FROM generate_series(1, 200) n`,
      // 75 finished jobs of each source, and the next one.
      `INSERT INTO core_job (object_type, object_id, name, status, job_id, created)
       SELECT 'core.datasource', n % 200 + 1, 'Synchronization', 'completed', gen_random_uuid(),
         now() - CASE WHEN n <= ${BATCH} THEN interval '100 days' ELSE interval '1 day' END FROM generate_series(1, 15000) n`,
      `INSERT INTO core_job (object_type, object_id, name, status, interval, scheduled, job_id)
       SELECT 'core.datasource', n, 'Synchronization', 'scheduled', 60, now() + interval '30 minutes', gen_random_uuid()
       FROM generate_series(1, 200) n`,
      `INSERT INTO core_job (object_type, object_id, name, status, job_id, attempts, lease_until)
       VALUES ('core.datasource', 1, 'Synchronization', 'running', gen_random_uuid(), 1, now() + interval '1 hour')`,
      // Requested jobs.
      `INSERT INTO core_job (object_type, object_id, name, job_id)
       SELECT 'core.datasource', 2 + n % 50, 'Synchronization', gen_random_uuid() FROM generate_series(1, 1000) n`,
    ],
  },
  [
    ['listDueJobs', 60, async (tx) => expect(await listDueSyncJobs(tx)).toHaveLength(20)],
    [
      // Two entries of the index for each source.
      'scheduleSynchronizations without a change',
      450,
      async (tx) => {
        const inTransaction = (): never => expect.fail('a source needs a job');
        await scheduleDataSourceSyncJobs({ query: (...args) => tx.query(...args), inTransaction });
      },
    ],
    ['scheduleNextJob', 10, async (tx, id) => expect(await scheduleNextJob(tx, id)).toBe(false)],
    [
      'claimJob',
      20,
      async (tx) => {
        const { rows } = await tx.query<{ id: number }>('SELECT (max(id))::float8 AS id FROM core_job');
        expect(await claimSyncJob(tx, { id: rows[0]?.id ?? 0, sourceId: '2' as never }, events)).not.toBeNull();
      },
    ],
    ['extendJobLease', 10, async (tx, id) => expect(await extendJobLease(tx, running(id))).toBe(true)],
    ['releaseJob', 10, (tx, id) => returnSyncJobToQueue(tx, running(id))],
    ['lockClaimedSource', 10, (tx, id) => lockDataSourceOfJob(tx, running(id))],
    ['jobRetention', 5 * BATCH, async (tx) => expect(await removeExpiredJobs(tx)).toBe(BATCH)],
  ],
);

const page: BackgroundTaskPageRequest = { statuses: [], limit: 50, offset: 0, start: null, running: [] };

/** Returns a function that lists the background tasks in the given states, and expects the given number of tasks. */
const list =
  (statuses: BackgroundTaskPageRequest['statuses'], expected: number, more: Partial<BackgroundTaskPageRequest> = {}) =>
  async (tx: Tx) => {
    const { count, places } = await listBackgroundTaskPlaces(tx, { ...page, statuses, ...more });
    const tasks = await readTasksWithFirstPayloads(tx, places, 1_000_000);
    expect([count, tasks.length]).toEqual([expected, Math.min(50, expected)]);
  };

describeReads<string>(
  {
    table: 'webhook_deliveries',
    // A delivery that waits for its next attempt.
    findId: `SELECT id FROM webhook_deliveries WHERE waiting_for = 'retry' ORDER BY sequence LIMIT 1`,
    insertOld: (count) => `INSERT INTO webhook_deliveries (event, object_type, object_id, payload, action_object_id)
      SELECT 'updated', 'dcim.site', n, '{}', 1 FROM generate_series(1, ${count}) n`,
    insertAll: [
      `INSERT INTO webhook_deliveries (event, object_type, object_id, payload, action_object_id, status, next_attempt_at)
       SELECT 'updated', 'dcim.site', n % 500, '{}', 1, 'succeeded', NULL FROM generate_series(1, 15000) n`,
      `INSERT INTO webhook_deliveries (event, object_type, object_id, payload, action_object_id, status, next_attempt_at, error)
       SELECT 'updated', 'dcim.site', n % 500, '{}', 1, 'failed', NULL,
         CASE WHEN n % 4 = 0 THEN 'Stopped by an operator.' ELSE 'no' END FROM generate_series(1, 200) n`,
      // 100 due deliveries, each followed by one that waits for it.
      `INSERT INTO webhook_deliveries (event, object_type, object_id, payload, action_object_id)
       SELECT 'updated', 'dcim.site', n % 100, '{}', 1 FROM generate_series(1, 200) n`,
      `INSERT INTO webhook_deliveries (event, object_type, object_id, payload, action_object_id, attempts, next_attempt_at, waiting_for)
       SELECT 'updated', 'dcim.rack', n, '{}', 2, 1, now() + interval '1 hour', 'retry' FROM generate_series(1, 200) n`,
      `INSERT INTO webhook_deliveries (event, object_type, object_id, payload, action_object_id, attempts, next_attempt_at)
       SELECT 'updated', 'dcim.device', n, '{}', 2, 1, now() + interval '1 hour' FROM generate_series(1, 10) n`,
    ],
  },
  [
    // A list reads unfinished and failed deliveries, which also give the number of finished ones, but no finished ones.
    // The 410 unfinished deliveries are read twice: by ordering key, and to count those without ordering key.
    ['listTasks of queued deliveries', 950, list(['queued'], 100)],
    ['listTasks of waiting deliveries', 950, list(['deferred', 'scheduled'], 310)],
    ['listTasks of failed deliveries', 400, list(['failed'], 150)],
    ['listTasks of stopped deliveries', 400, list(['stopped'], 50)],
    ['listTasks of finished deliveries', 800, list(['finished'], 15_000)],
    ['listTasks of finished deliveries by number', 800, list(['finished'], 15_000, { start: 1 })],
    ['listTasks of all deliveries', 1_850, list(['queued', 'finished', 'failed', 'stopped'], 15_300)],
    ['countTasks', 1_850, async (tx) => expect(await countBackgroundTasks(tx, [])).toHaveLength(6)],
    ['listRunningAttempts', 20, async (tx) => expect(await listRunningAttempts(tx)).toHaveLength(10)],
    [
      'findTask',
      10,
      async (tx, id) => expect(await findBackgroundTask(tx, id, [])).toMatchObject({ status: 'scheduled' }),
    ],
    [
      'findTask of a due delivery',
      1_750,
      async (tx) => {
        const { places } = await listBackgroundTaskPlaces(tx, { ...page, statuses: ['queued'], offset: 99 });
        const tasks = await readTasksWithFirstPayloads(tx, places, 1_000_000);
        expect(await findBackgroundTask(tx, tasks[0]?.id ?? '', [])).toMatchObject({ status: 'queued', position: 99 });
      },
    ],
    ['enqueueDelivery', 10, async (tx, id) => expect(await enqueueDelivery(tx, id)).toHaveLength(1)],
    ['stopDelivery', 10, (tx, id) => stopDelivery(tx, id)],
    ['removeDelivery', 10, (tx, id) => removeDelivery(tx, id)],
  ],
);
