import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, defineOutboxMessage, Jobs, Outbox, QueueUsageError, withOutbox } from '../src/index.js';
import { add } from './jobs-support.js';
import { redisUrl, testPool, uniqueName, until } from './queue-test-support.js';

const payload = z.strictObject({
  at: z.date(),
  times: z.array(z.date()),
  cents: z.number().transform((euros) => euros * 100),
  text: z.codec(z.string(), z.number(), { decode: (text) => text.length, encode: (length) => 'x'.repeat(length) }),
  kind: z.string().default('none'),
});
const at = new Date('2026-02-03T04:05:06.789Z');
const sentPayload = { at, times: [at], cents: 7, text: 'abc' };
const dispatchedPayload = { at, times: [at], cents: 700, text: 3, kind: 'none' };

let pool: pg.Pool;
let drop: () => Promise<void>;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  ({ pool, drop } = await testPool());
});
beforeEach(() => pool.query('TRUNCATE queue.outbox'));
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(() => drop());

function makeOutbox(): Outbox {
  const outbox = new Outbox({ pool, sweepMs: 60_000 });
  closers.push(() => outbox.stop());
  return outbox;
}

describe('payload of an outbox row', () => {
  it.each(['after the commit', 'inline'])(
    'passes through the transforms of the schema once and preserves dates, when dispatched %s',
    async (how) => {
      const topic = defineOutboxMessage({ name: 'test.rich', version: 1, payload, order: 'key', writerLocksKey: true });
      const outbox = makeOutbox();
      const seen: unknown[] = [];
      const dispatch = async (rows: readonly { payload: unknown }[]): Promise<void> =>
        void seen.push(...rows.map((row) => row.payload));
      if (how === 'inline') {
        const begin = (row: { payload: unknown }): null => {
          seen.push(row.payload);
          return null;
        };
        outbox.dispatch(topic, dispatch, { inline: { condition: 'true', work: 'done AS (SELECT 1)', begin } });
        const connection = await pool.connect();
        const tx = await outbox.begin(connection);
        outbox.add(tx, topic, sentPayload, { key: '1' });
        await outbox.flush(tx, { commitFollows: true });
        await tx.commit();
        connection.release();
        await until(() => seen.length === 2);
      } else {
        outbox.dispatch(topic, dispatch);
        await withOutbox(pool, outbox, async (tx) => outbox.add(tx, topic, sentPayload, { key: '1' }));
        await until(() => seen.length === 1);
      }
      for (const one of seen) expect(one).toEqual(dispatchedPayload);
    },
  );

  it('preserves user objects that look like a stored date', async () => {
    const topic = defineOutboxMessage({ name: 'test.json', version: 1, payload: z.record(z.string(), z.unknown()) });
    const outbox = makeOutbox();
    const seen: unknown[] = [];
    outbox.dispatch(topic, async (rows) => void seen.push(...rows.map((row) => row.payload)));
    const custom = {
      other: { '$switchboard.date': 'soon' },
      more: { '$switchboard.date': '2026-02-03T04:05:06.789Z', note: 1 },
    };
    await withOutbox(pool, outbox, async (tx) => outbox.add(tx, topic, custom));
    await until(() => seen.length === 1);
    expect(seen).toEqual([custom]);
  });

  it('contains dates in upgrade and in the list of dead letters', async () => {
    const first = defineOutboxMessage({ name: 'test.older', version: 1, payload: z.strictObject({ day: z.date() }) });
    const second = defineOutboxMessage({
      name: 'test.older',
      version: 2,
      payload: z.strictObject({ at: z.date() }),
      upgrade: (older) => ({ at: z.object({ day: z.date() }).parse(older).day }),
    });
    const writer = makeOutbox();
    await withOutbox(pool, writer, async (tx) => writer.add(tx, first, { day: at }));
    const outbox = makeOutbox();
    const seen: unknown[] = [];
    outbox.dispatch(
      second,
      async (rows) => {
        seen.push(...rows.map((row) => row.payload));
        throw new Error('not today');
      },
      { maxAttempts: 1 },
    );
    await outbox.sweep();
    expect(seen).toEqual([{ at }, { at }].slice(0, seen.length));
    expect(await outbox.listDeadLetters('test.older')).toMatchObject([{ payload: { day: at } }]);
  });

  it('must match the schema and be representable as JSON', async () => {
    const outbox = makeOutbox();
    const ids = defineOutboxMessage({ name: 'test.map', version: 1, payload: z.map(z.string(), z.int()) });
    const big = defineOutboxMessage({ name: 'test.big', version: 1, payload: z.bigint() });
    await withOutbox(pool, outbox, async (tx) => {
      expect(() => outbox.add(tx, ids, new Map([['a', 1]]))).toThrow(z.ZodError);
      expect(() => outbox.add(tx, big, 1n)).toThrow(QueueUsageError);
    });
  });
});

describe('payload of a job', () => {
  it("goes through the schema's transforms once and preserves dates, also for failed jobs", async () => {
    const job = defineJob({ name: 'test.rich', payload, attempts: 1 });
    const jobs = new Jobs({ redis: redisUrl, prefix: uniqueName(), definitions: [job] });
    closers.push(() => jobs.stop());
    const seen: unknown[] = [];
    jobs.handle(job, async (received) => {
      seen.push(received);
      throw new Error('not today');
    });
    jobs.start();
    await add(jobs, job, sentPayload);
    await until(async () => (await jobs.failed()).length === 1);
    expect(seen).toEqual([dispatchedPayload]);
    expect(await jobs.failed()).toMatchObject([{ payload: sentPayload }]);
  });
});
