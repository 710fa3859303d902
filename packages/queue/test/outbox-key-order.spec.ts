import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  defineOutboxMessage,
  Outbox,
  QueueUsageError,
  type ClientTransaction,
  type OutboxMessageType,
} from '../src/index.js';
import { sleep, testPool, until } from './queue-test-support.js';

const payload = z.strictObject({ n: z.int() });
const ordered = defineOutboxMessage({ name: 'test.ordered', version: 1, payload, order: 'key' });
const locked = defineOutboxMessage({ name: 'test.locked', version: 1, payload, order: 'key', writerLocksKey: true });
const keys = (count: number): string[] => Array.from({ length: count }, (_, index) => `k${index}`);

let pool: pg.Pool;
let drop: () => Promise<void>;
let outbox: Outbox;
const clients: pg.PoolClient[] = [];

beforeAll(async () => {
  ({ pool, drop } = await testPool());
});
beforeEach(async () => {
  await pool.query('TRUNCATE queue.outbox');
  outbox = new Outbox({ pool, sweepMs: 60_000 });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.release();
  await outbox.stop();
});
afterAll(() => drop());

/** Begins a transaction that adds an outbox row for each given key. */
async function writer(
  topic: OutboxMessageType<{ n: number }>,
  n: number,
  ...rowKeys: string[]
): Promise<ClientTransaction> {
  const client = await pool.connect();
  clients.push(client);
  const tx = await outbox.begin(client);
  for (const key of rowKeys) outbox.add(tx, topic, { n }, { key });
  return tx;
}

/** Returns true if the promise `work` is still pending after 150 ms. */
async function isStillPending(work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => false), sleep(150).then(() => true)]);
}

const numbers = async (): Promise<number[]> =>
  (await pool.query<{ n: number }>(`SELECT (payload->>'n')::int AS n FROM queue.outbox ORDER BY id`)).rows.map(
    ({ n }) => n,
  );

describe('outbox rows of one key', () => {
  it.each([{ commitFollows: false }, { commitFollows: true }])(
    'leave the outbox in commit order, because a flush waits for the transaction that was flushed before (%o)',
    async (ending) => {
      const seen: number[] = [];
      outbox.dispatch(ordered, async (rows) => void seen.push(...rows.map((row) => row.payload.n)));
      const first = await writer(ordered, 1, 'a');
      const second = await writer(ordered, 2, 'a');
      await outbox.flush(second, ending);
      const flushed = outbox.flush(first, ending);
      expect(await isStillPending(flushed)).toBe(true);
      await second.commit();
      await flushed;
      await first.commit();
      await until(() => seen.length === 2);
      expect(seen).toEqual([2, 1]);
    },
  );

  it('do not wait for transactions that write rows of another key', async () => {
    const first = await writer(ordered, 1, 'a');
    const second = await writer(ordered, 2, 'b');
    await outbox.flush(second);
    await outbox.flush(first);
    await first.commit();
    await second.rollback();
    expect(await numbers()).toEqual([1]);
  });

  it('make transactions lock their keys in a fixed order', async () => {
    await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const rowKeys = keys(6);
        const client = await pool.connect();
        const tx = await outbox.begin(client);
        for (const key of n % 2 === 0 ? rowKeys : rowKeys.toReversed()) outbox.add(tx, ordered, { n }, { key });
        await outbox.flush(tx);
        await tx.commit();
        client.release();
      }),
    );
    expect(await numbers()).toHaveLength(180);
  });

  it('wait for a transaction with so many keys that the transaction locks the whole message type', async () => {
    const many = await writer(ordered, 1, ...keys(200));
    await outbox.flush(many);
    // Of this database: other specs take locks on the same server.
    const held = await pool.query(
      `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
       WHERE l.locktype = 'advisory' AND d.datname = current_database()`,
    );
    expect(held.rows).toHaveLength(1);
    const one = await writer(ordered, 2, 'k7');
    const flushed = outbox.flush(one);
    expect(await isStillPending(flushed)).toBe(true);
    await many.commit();
    await flushed;
    await one.commit();
    expect((await numbers()).at(-1)).toBe(2);
  });

  it('need no lock if the message type declares that writers lock the key', async () => {
    const first = await writer(locked, 1, 'a');
    await outbox.flush(first);
    const second = await writer(locked, 2, 'a');
    await outbox.flush(second);
    await first.commit();
    await second.commit();
    expect(await numbers()).toEqual([1, 2]);
  });

  it('cannot be inserted by insertSql if flush has to lock the key', () => {
    const parts = { from: '(SELECT 1) one', payload: `'{"n": 2}'::json`, key: "'2'", context: '$1' };
    expect(() => outbox.insertSql(ordered, parts)).toThrow(QueueUsageError);
  });
});

describe('Outbox.dispatch of an ordered message type', () => {
  /**
   * For each list of keys, commits a transaction that adds one outbox row per key. Each row contains the number of its
   * transaction. Dispatches all rows, and returns the transaction numbers in the order of dispatch.
   */
  async function dispatched(...transactions: string[][]): Promise<number[]> {
    for (const [n, rowKeys] of transactions.entries()) {
      const tx = await writer(ordered, n, ...rowKeys);
      await outbox.flush(tx);
      await tx.commit();
    }
    const seen: number[] = [];
    const drain = new Outbox({ pool, sweepMs: 60_000, batchSize: 10 });
    drain.dispatch(ordered, async (rows) => void seen.push(...rows.map((row) => row.payload.n)));
    await drain.sweep();
    await drain.stop();
    return seen;
  }
  const many = (prefix: string): string[] => keys(200).map((key) => `${prefix}${key}`);

  it('dispatches the row of a small transaction before the remaining rows of a large transaction', async () => {
    const seen = await dispatched(many('a'), ['z']);
    expect(seen).toHaveLength(201);
    expect(seen.indexOf(1)).toBeLessThan(30);
  });

  it('alternates between large transactions', async () => {
    const seen = await dispatched(many('a'), many('b'), many('c'));
    expect(seen).toHaveLength(600);
    expect(new Set(seen.slice(0, 30))).toEqual(new Set([0, 1, 2]));
  });

  it('treats rows from several flushes of a large transaction as one transaction', async () => {
    const tx = await writer(ordered, 0, ...many('a'));
    await outbox.flush(tx);
    for (const part of ['b', 'c']) {
      for (const key of many(part)) outbox.add(tx, ordered, { n: 0 }, { key });
      await outbox.flush(tx);
    }
    outbox.add(tx, ordered, { n: 0 }, { key: 'last' });
    await outbox.flush(tx);
    await tx.commit();
    const { rows } = await pool.query('SELECT DISTINCT realm FROM queue.outbox');
    expect(rows).toHaveLength(1);
  });

  it('preserves the order of a key across large and small transactions', async () => {
    const seen = await dispatched(['ak7'], many('a'), ['ak7']);
    const own = seen.filter((n) => n !== 1);
    expect(own).toEqual([0, 2]);
    expect(seen.indexOf(2)).toBeGreaterThan(seen.indexOf(1));
  });
});
