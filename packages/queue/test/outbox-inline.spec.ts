import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  defineOutboxMessage,
  firstInlineParameterNumber,
  Outbox,
  QueueUsageError,
  type InlineDispatcher,
} from '../src/index.js';
import { testPool, TestTransaction, uniqueName, until } from './queue-test-support.js';

const topic = defineOutboxMessage({
  name: 'test.inline',
  version: 1,
  payload: z.strictObject({ n: z.int() }),
  order: 'key',
  writerLocksKey: true,
});

let pool: pg.Pool;
let drop: () => Promise<void>;
let outbox: Outbox;
/**
 * Log of the dispatched work, in order. Each item contains the number of a row, and whether the row was dispatched
 * inline or after the commit.
 */
let done: [how: 'inline' | 'drained', n: number][];
/** Number of outbox rows that were stored instead of being dispatched inline, counted by calls of `declined`. */
let declined: number;
let points: string[];
/** True if the database server accepts inline dispatch in the current test. */
let agrees: boolean;
let tries: boolean;
let throws: boolean;

const inline: InlineDispatcher<{ n: number }> = {
  condition: `$${firstInlineParameterNumber}::boolean`,
  work: `done AS (INSERT INTO told SELECT $${firstInlineParameterNumber + 1}::int FROM inline WHERE goes RETURNING n)`,
  begin: ({ payload: { n } }) => {
    if (throws) throw new Error('a fault of the dispatcher');
    return tries
      ? {
          params: [agrees, n],
          committed: async (rows) =>
            void done.push(...rows.map((row) => ['inline', Number(row['n'])] as ['inline', number])),
          declined: () => (declined += 1),
        }
      : null;
  },
};

beforeAll(async () => {
  ({ pool, drop } = await testPool());
  await pool.query('CREATE TABLE told (n int)');
});
beforeEach(async () => {
  await pool.query('TRUNCATE queue.outbox, told');
  [done, declined, agrees, tries, throws, points] = [[], 0, true, true, false, []];
  outbox = new Outbox({ pool, prefix: uniqueName(), faultPoint: (point) => void points.push(point) });
  outbox.dispatch(
    topic,
    async (rows) => void done.push(...rows.map(({ payload }) => ['drained', payload.n] as ['drained', number])),
    { inline },
  );
});
afterEach(() => outbox.stop());
afterAll(() => drop());

/** Commits a transaction that adds the given outbox rows. By default the rows have different keys. */
async function write(
  rows: readonly { n: number; key?: string; notBefore?: Date }[],
  end: 'COMMIT' | 'ROLLBACK' = 'COMMIT',
): Promise<void> {
  const connection = await pool.connect();
  const tx = new TestTransaction(connection);
  try {
    await tx.query('BEGIN');
    for (const { n, key = String(n), notBefore } of rows) {
      outbox.add(tx, topic, { n }, notBefore === undefined ? { key } : { key, notBefore });
    }
    await outbox.flush(tx, { commitFollows: true });
    await tx.end(end);
  } catch (error) {
    await tx.end('ROLLBACK');
    throw error;
  } finally {
    connection.release();
  }
  if (end === 'COMMIT') outbox.dispatchAfterCommit(tx);
}

const countStoredRows = async (): Promise<number> => (await pool.query('SELECT FROM queue.outbox')).rows.length;
const listNotified = async (): Promise<number[]> =>
  (await pool.query<{ n: number }>('SELECT n FROM told')).rows.map(({ n }) => n);

describe('single outbox row of a transaction', () => {
  it('reaches its dispatcher directly after the commit, and is never stored', async () => {
    await write([{ n: 1 }]);
    await until(() => done.length === 1);
    expect([done, await listNotified(), await countStoredRows()]).toEqual([[['inline', 1]], [1], 0]);
    expect(points).toEqual(['outbox.after-commit', 'outbox.after-dispatch']);
    expect(outbox.dispatched()).toEqual([{ topic: topic.name, count: 1 }]);
  });

  it('has no effect when the transaction is rolled back', async () => {
    await write([{ n: 1 }], 'ROLLBACK');
    expect([done, declined, await listNotified(), await countStoredRows()]).toEqual([[], 0, [], 0]);
  });

  it('remains stored when inline dispatch is declined or the transaction adds other rows', async () => {
    agrees = false;
    await write([{ n: 1 }]);
    await until(() => done.length === 1);
    expect(declined).toBe(1);
    agrees = true;
    tries = false;
    await write([{ n: 2 }]);
    await until(() => done.length === 2);
    tries = true;
    await write([{ n: 3 }, { n: 4 }]);
    await until(() => done.length === 4);
    expect(done).toEqual([1, 2, 3, 4].map((n) => ['drained', n]));
    expect([declined, await listNotified(), await countStoredRows()]).toEqual([1, [], 0]);
    expect(outbox.dispatched()).toEqual([{ topic: topic.name, count: 4 }]);
  });

  it('waits only for stored rows with the same key', async () => {
    const other = await pool.connect();
    await other.query('BEGIN');
    await pool.query(
      `INSERT INTO queue.outbox (topic, version, payload, key) VALUES ($1, 1, '{"n": 1}', 'a'), ($1, 1, '{"n": 2}', 'b')`,
      [topic.name],
    );
    // Another process dispatches the row and has not committed yet.
    await other.query(`DELETE FROM queue.outbox WHERE key = 'a'`);
    await write([{ n: 4, key: 'c' }]);
    await until(() => done.length === 1);
    await write([{ n: 3, key: 'a' }]);
    await until(() => declined === 1);
    expect(done.filter(([, n]) => n === 3)).toEqual([]);
    await other.query('ROLLBACK');
    other.release();
    await outbox.sweep();
    expect(done.filter(([how]) => how === 'inline')).toEqual([['inline', 4]]);
    expect(done.filter(([, n]) => n === 1 || n === 3)).toEqual([
      ['drained', 1],
      ['drained', 3],
    ]);
  });

  it('remains stored if its notBefore is in the future', async () => {
    await write([{ n: 1, notBefore: new Date(Date.now() + 3_600_000) }]);
    expect([done, await listNotified(), await countStoredRows()]).toEqual([[], [], 1]);
  });

  it('rolls back the transaction when inline dispatch fails before the commit', async () => {
    await pool.query('ALTER TABLE told ADD CHECK (n < 100)');
    await expect(write([{ n: 100 }])).rejects.toThrow(/check constraint/);
    expect([done, await listNotified(), await countStoredRows()]).toEqual([[], [], 0]);
  });

  it('remains stored when its dispatcher throws, or when the transaction inserts outbox rows by its own SQL', async () => {
    agrees = true;
    throws = true;
    await write([{ n: 1 }]);
    await until(() => done.length === 1);
    throws = false;
    const connection = await pool.connect();
    const tx = new TestTransaction(connection);
    await tx.query('BEGIN');
    outbox.expectInsertedRows(tx, topic, 1);
    const sql = outbox.insertSql(topic, {
      from: '(SELECT 1) one',
      payload: `'{"n": 2}'::json`,
      key: "'2'",
      context: '$1',
    });
    await tx.query(sql, [null]);
    outbox.add(tx, topic, { n: 3 }, { key: '3' });
    await outbox.flush(tx, { commitFollows: true });
    await tx.end('COMMIT');
    connection.release();
    outbox.dispatchAfterCommit(tx);
    await until(() => done.length === 3);
    expect(done).toEqual([1, 2, 3].map((n) => ['drained', n]));
  });

  it('causes an error when a second dispatcher is registered for its message type', () => {
    expect(() => outbox.dispatch(topic, async () => {}, { inline })).toThrow(QueueUsageError);
  });
});
