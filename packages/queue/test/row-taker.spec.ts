import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inPoolTransaction, type QueuePool, type QueueTx } from '../src/database.js';
import { RowSelector } from '../src/outbox/row-taker.js';
import { defineOutboxMessage } from '../src/outbox/message-type.js';
import { testPool } from './support.js';

const WAITING = 3_000;
const BATCH = 100;

const topic = defineOutboxMessage({ name: 'many.keys', version: 1, payload: z.object({}), order: 'key' });

let pool: QueuePool;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ pool, drop } = await testPool());
});
afterAll(() => drop());

/** Returns the number of outbox rows that this session has read, including those of earlier transactions. */
async function rowsRead(tx: QueueTx): Promise<number> {
  const { rows } = await tx.query<{ n: number }>(
    `SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_user_tables
      WHERE relid = 'queue.outbox'::regclass`,
  );
  return rows[0]?.n ?? Number.NaN;
}

describe('RowSelector.lockNextRows of an ordered message type', () => {
  it('reads few more rows than it takes, for any number of waiting keys', async () => {
    // Analyzes the empty table, whose statistics are like this in production.
    await pool.query('ANALYZE queue.outbox');
    await pool.query(
      `INSERT INTO queue.outbox (topic, realm, key, version, payload)
       SELECT 'many.keys', '', 'key ' || n, 1, '{}' FROM generate_series(1, $1::int) n`,
      [WAITING],
    );
    const taker = new RowSelector(topic, BATCH);
    const seen = new Set<string | null>();
    for (let batch = 0; batch < 3; batch += 1) {
      const read = await inPoolTransaction(pool, async (tx) => {
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
});
