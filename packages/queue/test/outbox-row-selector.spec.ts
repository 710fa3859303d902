import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runInPoolTransaction, type QueuePool, type QueueTx } from '../src/database.js';
import { OutboxRowSelector } from '../src/outbox/outbox-row-selector.js';
import { defineOutboxMessage } from '../src/outbox/outbox-message-type.js';
import { testPool } from './queue-test-support.js';

const WAITING = 3_000;
const BATCH = 100;

const topic = defineOutboxMessage({ name: 'many.keys', version: 1, payload: z.object({}), order: 'key' });

let pool: QueuePool;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ pool, drop } = await testPool());
});
afterAll(() => drop());

/**
 * Returns the number of outbox rows that this database session has read, including the rows that earlier transactions
 * read.
 */
async function rowsRead(tx: QueueTx): Promise<number> {
  const { rows } = await tx.query<{ n: number }>(
    `SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_user_tables
      WHERE relid = 'queue.outbox'::regclass`,
  );
  return rows[0]?.n ?? Number.NaN;
}

/** Adds outbox rows in one transaction. The rows have different keys. */
async function addRows(type: string, realm: string, count: number): Promise<void> {
  await pool.query(
    `INSERT INTO queue.outbox (topic, realm, key, version, payload)
     SELECT $1, $2, $2 || ' key ' || n, 1, '{}' FROM generate_series(1, $3::int) n`,
    [type, realm, count],
  );
}

describe('OutboxRowSelector.lockNextRows of an ordered message type', () => {
  it('reads few rows besides the locked rows, however many keys wait', async () => {
    // Analyzes the empty table, whose statistics are like this in production.
    await pool.query('ANALYZE queue.outbox');
    await addRows('many.keys', '', WAITING);
    const taker = new OutboxRowSelector('queue', topic, BATCH);
    const seen = new Set<string | null>();
    for (let batch = 0; batch < 3; batch += 1) {
      const read = await runInPoolTransaction(pool, async (tx) => {
        const before = await rowsRead(tx);
        const taken = await taker.lockNextRows(tx);
        for (const { key } of taken) seen.add(key);
        const after = await rowsRead(tx);
        await tx.query('DELETE FROM queue.outbox WHERE id = ANY ($1::bigint[])', [taken.map(({ id }) => id)]);
        return after - before;
      });
      // Each of the steps that find, lock and take a row reads the row.
      expect(read).toBeGreaterThan(BATCH);
      expect(read).toBeLessThan(5 * BATCH);
    }
    expect(seen.size).toBe(3 * BATCH);
  });

  it.each([
    ['an empty table', ''],
    ['a hundred rows of small transactions', 'many.keys'],
    ['rows of another message type', 'other.type'],
  ])(
    'reads few rows besides the locked rows of a large transaction, with table statistics of %s',
    async (_, analyzed) => {
      // A vacuum that runs during an insertion would find an almost empty table of many pages.
      await pool.query('ALTER TABLE queue.outbox SET (autovacuum_enabled = false)');
      await pool.query('TRUNCATE queue.outbox');
      if (analyzed !== '') await addRows(analyzed, '', 100);
      await pool.query('ANALYZE queue.outbox');
      await addRows('many.keys', 'bulk:one', 20_000);
      const taker = new OutboxRowSelector('queue', topic, BATCH);
      const realms = new Set<boolean>();
      for (let batch = 0; batch < 6; batch += 1) {
        await runInPoolTransaction(pool, async (tx) => {
          const before = await rowsRead(tx);
          const taken = await taker.lockNextRows(tx);
          for (const { bulk } of taken) realms.add(bulk);
          expect((await rowsRead(tx)) - before).toBeLessThan(8 * BATCH);
          await tx.query('DELETE FROM queue.outbox WHERE id = ANY ($1::bigint[])', [taken.map(({ id }) => id)]);
        });
      }
      expect(realms).toContain(true);
    },
  );
});
