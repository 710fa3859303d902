import type pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { defineOutboxMessage, Outbox, withOutbox, type OutboxOptions } from '../src/index.js';
import { testPool, until } from './queue-test-support.js';

const payload = z.strictObject({ n: z.int() });
const unordered = defineOutboxMessage({ name: 'test.unordered', version: 1, payload });
const ordered = defineOutboxMessage({ name: 'test.ordered', version: 1, payload, order: 'key' });

let pool: pg.Pool;
let drop: () => Promise<void>;
let outbox: Outbox;

beforeAll(async () => {
  ({ pool, drop } = await testPool());
});
afterEach(() => outbox.stop());
afterAll(() => drop());

function makeOutbox(options: Partial<OutboxOptions> = {}): Outbox {
  outbox = new Outbox({ pool, sweepMs: 600_000, ...options });
  return outbox;
}

it.each([unordered, ordered])(
  'Outbox dispatches rows of $name that a dispatcher did not handle again in the next batch',
  async (topic) => {
    makeOutbox();
    const batches: number[][] = [];
    outbox.dispatch(topic, async (rows) => {
      const handledRows = Math.min(2, rows.length);
      batches.push(rows.slice(0, handledRows).map(({ payload: { n } }) => n));
      return { handledRows };
    });
    await withOutbox(pool, outbox, async (tx) => {
      for (let n = 0; n < 5; n += 1) outbox.add(tx, topic, { n }, { key: 'one' });
    });
    await until(async () => (await pool.query('SELECT FROM queue.outbox')).rows.length === 0);
    expect(batches).toEqual([[0, 1], [2, 3], [4]]);
    // The count grows after the commit that removes the rows.
    await expect.poll(() => outbox.dispatched()).toEqual([{ topic: topic.name, count: 5 }]);
  },
);

it.each([unordered, ordered])(
  'Outbox reads few additional rows of $name when the dispatcher handles only a part of each batch',
  async (topic) => {
    makeOutbox({ batchSize: 100 });
    const given: number[] = [];
    outbox.dispatch(topic, async (rows) => {
      given.push(rows.length);
      return { handledRows: Math.min(2, rows.length) };
    });
    await withOutbox(pool, outbox, async (tx) => {
      for (let n = 0; n < 100; n += 1) outbox.add(tx, topic, { n }, { key: 'one' });
    });
    await until(async () => (await pool.query('SELECT FROM queue.outbox')).rows.length === 0);
    expect(given.reduce((sum, rows) => sum + rows, 0)).toBeLessThan(300);
  },
);

it('Outbox counts a dispatch as a failure when the dispatcher handles no row', async () => {
  makeOutbox({ maxAttempts: 1 });
  outbox.dispatch(unordered, async () => ({ handledRows: 0 }));
  await withOutbox(pool, outbox, async (tx) => outbox.add(tx, unordered, { n: 1 }));
  await expect
    .poll(() => outbox.listDeadLetters(unordered.name))
    .toMatchObject([{ error: expect.stringContaining('handled 0 of 1 rows') }]);
});

it.each([unordered, ordered])(
  'Outbox dispatches rows of $name in batches whose payloads have at most 16 MiB',
  async ({ name, order }) => {
    makeOutbox();
    const large = defineOutboxMessage({ name, version: 1, payload: z.object({ text: z.string() }), order });
    const batches: number[][] = [];
    outbox.dispatch(large, async (rows) => {
      batches.push(rows.map(({ payload: { text } }) => text.length));
    });
    await pool.query(
      `INSERT INTO queue.outbox (topic, key, version, payload)
       SELECT $1, 'key ' || n, 1, json_build_object('text', repeat('x', size))
         FROM unnest('{9000000,9000000}'::int[]) WITH ORDINALITY AS r (size, n)`,
      [name],
    );
    await withOutbox(pool, outbox, async (tx) => outbox.add(tx, large, { text: 'x' }, { key: 'last' }));
    const waiting = 'SELECT FROM queue.outbox WHERE set_aside_at IS NULL';
    await until(async () => (await pool.query(waiting)).rows.length === 0);
    expect(batches.flat().toSorted((a, b) => a - b)).toEqual([1, 9e6, 9e6]);
    const sizes = batches.filter(({ length }) => length > 1).map((batch) => batch.reduce((sum, size) => sum + size));
    expect(Math.max(0, ...sizes)).toBeLessThan(16 * 1024 * 1024);
  },
);
