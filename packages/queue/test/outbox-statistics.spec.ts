import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runInPoolTransaction, type QueuePool } from '../src/database.js';
import { silentLogger } from '../src/environment.js';
import {
  insertAndNumberRow,
  numberCommittedRows,
  readNumberedRows,
  readQueueStartPosition,
} from '../src/event-log/number-log-rows.js';
import { JobOutboxRows } from '../src/jobs/job-rows.js';
import { OutboxBatchDispatcher } from '../src/outbox/outbox-batch-drain.js';
import { discardDeadLetterRows, listDeadLetters, requeueDeadLetterRows } from '../src/outbox/dead-letters.js';
import { defineOutboxMessage, EVENT_LOG_TOPIC } from '../src/outbox/outbox-message-type.js';
import { OutboxRowSelector } from '../src/outbox/outbox-row-selector.js';
import { listWaitingDispatchTargets } from '../src/outbox/waiting-outbox-rows.js';
import { ReadCounter, type PlanMode } from './read-counter.js';
import { testPool } from './queue-test-support.js';

const BATCH = 100;

/**
 * Maximum number of rows that a statement may read. The maximum allows a few rows for each row of a batch, and the
 * undispatchable rows at the beginning of a message type. The table contains 20,000 rows, with thousands of rows of
 * each message type.
 */
const READ_LIMIT = 8 * BATCH;

const payload = z.object({});
const ordered = defineOutboxMessage({ name: 'ordered', version: 1, payload, order: 'key' });
const unordered = defineOutboxMessage({ name: 'unordered', version: 1, payload });
/** An outbox message type whose rows cannot be parsed. */
const unreadable = defineOutboxMessage({ name: 'unreadable', version: 1, payload: z.object({ absent: z.string() }) });

interface NewRows {
  readonly topic: string;
  readonly realm?: string;
  readonly key?: string;
  readonly count: number;
  readonly isNumbered?: boolean;
  readonly isDead?: boolean;
}

async function addRows(pool: QueuePool, { topic, realm = '', key, count, isNumbered, isDead }: NewRows): Promise<void> {
  await pool.query(
    `INSERT INTO queue.outbox (topic, realm, key, version, payload, seq, set_aside_at)
     SELECT $1, $2, $3 || ' ' || n, 1, '{}', CASE WHEN $5 THEN n END, CASE WHEN $6 THEN now() END
     FROM generate_series(1, $4::int) n`,
    [topic, realm, key ?? null, count, isNumbered === true, isDead === true],
  );
}

/** Adds the outbox rows that the measured SQL statements read. */
async function addWaitingRows(pool: QueuePool): Promise<void> {
  await pool.query(`INSERT INTO queue.event_log (realm, position) VALUES ('r1', 3000), ('r2', 0), ('r3', 0)`);
  await addRows(pool, { topic: 'ordered', key: 'a', count: 3_000 });
  await addRows(pool, { topic: 'ordered', realm: 'bulk:1', key: 'b', count: 6_000 });
  await addRows(pool, { topic: 'unordered', count: BATCH, isDead: true });
  await addRows(pool, { topic: 'unordered', count: 5_000 });
  await addRows(pool, { topic: EVENT_LOG_TOPIC, realm: 'r1', count: 3_000, isNumbered: true });
  await addRows(pool, { topic: EVENT_LOG_TOPIC, realm: 'r1', count: 500 });
  await addRows(pool, { topic: EVENT_LOG_TOPIC, realm: 'r2', count: 2_000 });
  await addRows(pool, { topic: 'job:sync', key: 'j', count: 2_000, isNumbered: true });
  await addRows(pool, { topic: 'job:sync', key: 'd', count: 1_000, isDead: true });
}

const analyze = (pool: QueuePool) => pool.query('ANALYZE queue.outbox');

const states: readonly (readonly [string, (pool: QueuePool) => Promise<unknown>])[] = [
  ['no statistics', addWaitingRows],
  [
    'statistics of an empty table with many pages',
    async (pool) => {
      await addRows(pool, { topic: 'ordered', realm: 'bulk:0', key: 'old', count: 30_000 });
      await pool.query('DELETE FROM queue.outbox');
      await analyze(pool);
      await addWaitingRows(pool);
    },
  ],
  [
    'statistics of a few rows',
    async (pool) => {
      await addRows(pool, { topic: 'ordered', key: 'old', count: BATCH });
      await analyze(pool);
      await pool.query('DELETE FROM queue.outbox');
      await addWaitingRows(pool);
    },
  ],
  [
    'statistics of all rows',
    async (pool) => {
      await addWaitingRows(pool);
      await addRows(pool, { topic: 'ordered', realm: 'bulk:2', key: 'c', count: 30_000 });
      await analyze(pool);
    },
  ],
];

const lockNextRows =
  (topic: typeof ordered) =>
  async (pool: QueuePool): Promise<void> => {
    const selector = new OutboxRowSelector('queue', topic, BATCH);
    const taken = await runInPoolTransaction(pool, (tx) => selector.lockNextRows(tx));
    expect(taken).toHaveLength(BATCH);
  };

const firstId = async (pool: QueuePool, topic: string): Promise<string> => {
  const sql = 'SELECT id FROM queue.outbox WHERE topic = $1 AND set_aside_at IS NULL ORDER BY realm, id LIMIT 1';
  return (await pool.query<{ id: string }>(sql, [topic])).rows[0]?.id ?? '';
};

const jobRowsIn = (pool: QueuePool): JobOutboxRows => new JobOutboxRows({ pool, schema: 'queue' });

/** Returns the ids of the last outbox rows of a kind of job: of waiting jobs, or of dead letters. */
const listJobIds = async (pool: QueuePool, state: 'waiting' | 'dead'): Promise<number[]> => {
  const sql = `SELECT id::float8 AS id FROM queue.outbox
    WHERE topic = 'job:sync' AND (set_aside_at IS NULL) = ($1 = 'waiting') ORDER BY id DESC LIMIT 3`;
  return (await pool.query<{ id: number }>(sql, [state])).rows.map(({ id }) => id);
};

/**
 * Measured operations by name. Each operation receives a database pool that counts the read rows, and a pool that does
 * not count.
 */
const statements: readonly (readonly [string, (counted: QueuePool, pool: QueuePool) => Promise<unknown>])[] = [
  ['OutboxRowSelector.lockNextRows of an unordered message type', lockNextRows(unordered)],
  [
    'OutboxRowSelector.lockNextRows of a message type without rows',
    (counted) => {
      const absent = defineOutboxMessage({ name: 'absent', version: 1, payload });
      return runInPoolTransaction(counted, (tx) => new OutboxRowSelector('queue', absent, BATCH).lockNextRows(tx));
    },
  ],
  ...[ordered, unordered].map((topic) => {
    const lockFirst = async (counted: QueuePool, pool: QueuePool): Promise<void> => {
      const id = await firstId(pool, topic.name);
      const rows = await runInPoolTransaction(counted, (tx) =>
        new OutboxRowSelector('queue', topic, BATCH).lockReadyRow(tx, id),
      );
      expect(rows).toHaveLength(1);
    };
    return [`OutboxRowSelector.lockOneRow of an ${topic.name} message type`, lockFirst] as const;
  }),
  ...[ordered, unordered].map(
    (topic) =>
      [
        `OutboxRowSelector.anyReadySql of an ${topic.name} message type`,
        (counted: QueuePool): Promise<unknown> =>
          counted.query(new OutboxRowSelector('queue', topic, BATCH).selectAnyReadyRowSql),
      ] as const,
  ),
  [
    'OutboxBatchDrain.dispatchReadyRows with rows that become dead letters',
    async (counted, pool) => {
      await addRows(pool, { topic: 'unreadable', count: BATCH });
      const settings = { batchSize: 2 * BATCH, maxAttempts: 1, retryDelayMs: 1, paceMs: 0 };
      await new OutboxBatchDispatcher(
        counted,
        'queue',
        unreadable,
        async () => {},
        settings,
        silentLogger,
      ).dispatchReadyOutboxRows();
      const letters = await listDeadLetters({ pool, schema: 'queue' }, 'unreadable', {}, 10 * BATCH);
      expect(letters.length % BATCH).toBe(0);
      expect(letters.length).toBeGreaterThan(0);
    },
  ],
  ['listWaitingDrainTargets', (counted) => listWaitingDispatchTargets(counted, 'queue')],
  ['listDeadLetters', (counted) => listDeadLetters({ pool: counted, schema: 'queue' }, 'unordered', {}, 10)],
  [
    'requeueDeadLetterRows',
    (counted) => requeueDeadLetterRows({ pool: counted, schema: 'queue' }, 'unordered', { key: 'absent' }),
  ],
  [
    'discardDeadLetterRows',
    (counted) => discardDeadLetterRows({ pool: counted, schema: 'queue' }, 'unordered', { key: 'absent' }),
  ],
  ['numberCommittedRows', (counted) => numberCommittedRows({ pool: counted, schema: 'queue' }, 'r2', BATCH, null)],
  [
    'numberCommittedRows with a deletion',
    (counted) => numberCommittedRows({ pool: counted, schema: 'queue' }, 'r2', BATCH, BATCH),
  ],
  [
    'insertAndNumberRow',
    (counted) =>
      runInPoolTransaction(counted, (tx) =>
        insertAndNumberRow(
          tx,
          'queue',
          {
            topic: EVENT_LOG_TOPIC,
            realm: 'r3',
            version: 1,
            payload: '{}',
            key: null,
            notBefore: null,
            context: null,
            audience: null,
            weight: 1,
          },
          BATCH,
        ),
      ),
  ],
  ['readNumberedRows', (counted) => readNumberedRows({ pool: counted, schema: 'queue' }, 'r1', 1_500, BATCH)],
  [
    'readQueueStartPosition',
    (counted) => runInPoolTransaction(counted, (tx) => readQueueStartPosition(tx, 'queue', 'r1')),
  ],
  [
    'JobRows.claimDueRows',
    async (counted) =>
      expect(await jobRowsIn(counted).claimRowsDueForCheck(['none', 'sync'], BATCH, 1)).toHaveLength(BATCH),
  ],
  [
    'JobRows.setNextTimes',
    async (counted, pool) =>
      jobRowsIn(counted).setNextCheckTimes((await listJobIds(pool, 'waiting')).map((id) => ({ id, nextMs: 1 }))),
  ],
  [
    'JobRows.makeRowsDue',
    async (counted, pool) => jobRowsIn(counted).makeRowsDueForCheck(await listJobIds(pool, 'waiting')),
  ],
  ['JobRows.makeRowsDueByKey', (counted) => jobRowsIn(counted).makeRowsOfJobDue('sync', 'j 1900')],
  ['JobRows.exists', (counted) => jobRowsIn(counted).isRowInOutbox('sync', 7)],
  [
    'JobRows.makeDeadLetter',
    async (counted, pool) => jobRowsIn(counted).makeRowDeadLetter((await listJobIds(pool, 'waiting'))[0] ?? 0, '', 1),
  ],
  [
    'JobRows.requeueDeadRows',
    async (counted, pool) => jobRowsIn(counted).requeueRowsOfDeadLetters(await listJobIds(pool, 'dead'), 1),
  ],
  ['JobRows.removeByKey', async (counted) => jobRowsIn(counted).removeRowsOfJob('sync', 'j 1900')],
  [
    'JobRows.removeUnlocked',
    async (counted, pool) => jobRowsIn(counted).removeUnlockedRows(await listJobIds(pool, 'waiting')),
  ],
  ['JobRows.remove', async (counted, pool) => jobRowsIn(counted).removeRows(await listJobIds(pool, 'waiting'))],
];

describe.each(states)('statements of the outbox with %s', (_, prepare) => {
  let pool: Awaited<ReturnType<typeof testPool>>['pool'];
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ pool, drop } = await testPool());
    // A vacuum would change the statistics.
    await pool.query('ALTER TABLE queue.outbox SET (autovacuum_enabled = false)');
    await prepare(pool);
  });
  afterAll(() => drop());

  it.each(statements)('reads few rows: %s', async (_name, run) => {
    const client = await pool.connect();
    const read: Record<string, number> = {};
    for (const mode of ['force_custom_plan', 'force_generic_plan'] satisfies PlanMode[]) {
      const counter = new ReadCounter(client, 'queue.outbox', mode);
      await run(counter, pool);
      read[mode] = counter.rows;
    }
    client.release();
    expect(Math.max(...Object.values(read)), JSON.stringify(read)).toBeLessThanOrEqual(READ_LIMIT);
  });
});
