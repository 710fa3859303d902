import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { defineOutboxMessage, Outbox, withOutbox } from '../src/index.js';
import { redisUrl, testPool, uniqueName, until } from './queue-test-support.js';

const topic = defineOutboxMessage({ name: 'test.rung', version: 1, payload: z.strictObject({ n: z.int() }) });

let pool: pg.Pool;
let drop: () => Promise<void>;
let redis: Redis;
const outboxes: Outbox[] = [];

beforeAll(async () => {
  ({ pool, drop } = await testPool());
  redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
});
afterEach(async () => {
  await Promise.all(outboxes.splice(0).map((outbox) => outbox.stop()));
  await pool.query('TRUNCATE queue.outbox');
});
afterAll(async () => {
  redis.disconnect();
  await drop();
});

/**
 * Creates a process that only commits, a process that dispatches rows only after wakeups, and the wakeup queue between
 * these processes.
 */
function makeBoth() {
  const prefix = uniqueName();
  const make = (): Outbox => new Outbox({ pool, redis: redisUrl, prefix, sweepMs: 600_000 });
  const [api, worker] = [make(), make()];
  outboxes.push(api, worker);
  const rings = new Queue(`outbox.drain.${topic.name}`, {
    connection: redis,
    prefix: `{${prefix}.outbox.${topic.name}}`,
  });
  const commit = (n: number): Promise<void> => withOutbox(pool, api, async (tx) => api.add(tx, topic, { n }));
  /**
   * Commits outbox rows until a wakeup has arrived. Several rows may be needed, because the first wakeup may be sent
   * before the connection is open.
   */
  const commitHeard = (): Promise<void> =>
    until(async () => {
      await commit(0);
      return (await rings.getWaitingCount()) > 0;
    });
  return { api, worker, rings, commit, commitHeard };
}

it('WorkerWakeupQueue sends one notification for many commits until a worker handles the notification', async () => {
  const { rings, commit, commitHeard } = makeBoth();
  await commitHeard();
  for (let n = 1; n <= 20; n += 1) await commit(n);
  expect(await rings.getJobCounts('waiting', 'delayed', 'prioritized', 'active')).toEqual({
    waiting: 1,
    delayed: 0,
    prioritized: 0,
    active: 0,
  });
});

it('WorkerWakeupQueue handles a notification that arrives while an earlier one is handled', async () => {
  const { worker, rings, commit } = makeBoth();
  const seen: number[] = [];
  const held: (() => void)[] = [];
  worker.dispatch(topic, async (rows) => {
    const numbers = rows.map(({ payload }) => payload.n);
    if (numbers.includes(1)) await new Promise<void>((resolve) => held.push(resolve));
    seen.push(...numbers);
  });
  await worker.start('worker');
  // Once a wakeup has brought a row, the only sweep is over and the connection exists.
  await until(async () => {
    await commit(0);
    return seen.length > 1;
  });
  await until(async () => (await rings.getActiveCount()) === 0);
  await commit(1);
  await until(() => held.length === 1);
  await commit(2);
  await commit(3);
  held[0]?.();
  await until(() => seen.includes(2) && seen.includes(3), 10_000);
});
