import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { defineOutboxMessage, Outbox, withOutbox, type OutboxOptions } from '../src/index.js';
import { PrivateRedis, sleep, testPool, uniqueName, until } from './queue-test-support.js';

const topicOf = (name: string) => defineOutboxMessage({ name, version: 1, payload: z.strictObject({ n: z.int() }) });
const changes = topicOf('test.changes');
const slowTopic = topicOf('test.slow');

let pool: pg.Pool;
let drop: () => Promise<void>;
const outboxes: Outbox[] = [];

function makeOutbox(options: Partial<OutboxOptions> = {}): Outbox {
  const outbox = new Outbox({ pool, sweepMs: 50, ...options });
  outboxes.push(outbox);
  return outbox;
}

/** Registers a dispatcher that appends the number in each dispatched outbox row to a list. */
function dispatchInto(seen: number[], outbox: Outbox): void {
  outbox.dispatch(changes, async (rows) => void seen.push(...rows.map(({ payload }) => payload.n)));
}

/** Commits outbox rows in a process that neither dispatches its own rows nor wakes other processes. */
async function addUnnoticed(topic: typeof changes, ...numbers: number[]): Promise<void> {
  const outbox = makeOutbox();
  await withOutbox(pool, outbox, async (tx) => {
    for (const n of numbers) outbox.add(tx, topic, { n });
  });
}

const rowCount = async (): Promise<number> =>
  Number((await pool.query<{ n: string }>('SELECT count(*) AS n FROM queue.outbox')).rows[0]?.n);

beforeAll(async () => {
  ({ pool, drop } = await testPool());
});
beforeEach(() => pool.query('TRUNCATE queue.outbox'));
afterEach(async () => {
  await Promise.all(outboxes.splice(0).map((outbox) => outbox.stop()));
});
afterAll(() => drop());

it('dispatch of one message type continues while the dispatcher of another type is slow', async () => {
  const outbox = makeOutbox();
  const seen: number[] = [];
  const begun: (() => void)[] = [];
  outbox.dispatch(slowTopic, () => new Promise<void>((resolve) => begun.push(resolve)));
  dispatchInto(seen, outbox);
  await addUnnoticed(slowTopic, 1);
  await outbox.start('worker');
  await until(() => begun.length === 1);
  await addUnnoticed(changes, 2);
  try {
    await until(() => seen.length === 1, 5_000);
  } finally {
    for (const resolve of begun) resolve();
  }
  expect(seen).toEqual([2]);
});

it('Outbox.stop leaves rows that are not dispatched yet to the next process', async () => {
  const [stopping, next] = [makeOutbox(), makeOutbox()];
  const seen: number[] = [];
  const slowly = async (rows: readonly { payload: { n: number } }[]): Promise<void> => {
    await sleep(100);
    seen.push(...rows.map(({ payload }) => payload.n));
  };
  stopping.dispatch(changes, slowly, { batchSize: 1 });
  const numbers = Array.from({ length: 100 }, (_, n) => n);
  await addUnnoticed(changes, ...numbers);
  await stopping.start('worker');
  await until(() => seen.length === 1);
  const began = Date.now();
  await stopping.stop();
  expect(Date.now() - began).toBeLessThan(5_000);
  expect(await rowCount()).toBe(100 - seen.length);
  dispatchInto(seen, next);
  await next.sweep();
  expect(seen).toEqual(numbers);
});

it('Outbox.stop ends in bounded time when Redis does not respond', async () => {
  const redis = await PrivateRedis.start();
  try {
    const outbox = makeOutbox({ redis: redis.url, prefix: uniqueName() });
    const seen: number[] = [];
    dispatchInto(seen, outbox);
    await outbox.start('worker');
    await addUnnoticed(changes, 1);
    await until(() => seen.length === 1);
    redis.pause();
    const began = Date.now();
    await outbox.stop();
    expect(Date.now() - began).toBeLessThan(15_000);
  } finally {
    await redis.stop();
  }
});
