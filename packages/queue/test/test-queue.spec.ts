import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  defineJob,
  defineOutboxMessage,
  faultPoints,
  JobTimeoutError,
  QueueUsageError,
  withOutbox,
} from '../src/index.js';
import {
  createTestQueue,
  recordFaultPoints,
  simulateCrashAt,
  SimulatedCrashError,
  TestClock,
  TestPool,
  type TestQueue,
  type TestQueueOptions,
} from '../src/testing/index.js';

const changed = defineOutboxMessage({ name: 'things.changed', version: 1, payload: z.object({ n: z.int() }) });
const work = defineJob({
  name: 'things.work',
  payload: z.object({ n: z.int() }),
  attempts: 3,
  backoff: { initialMs: 1_000, maxMs: 8_000 },
  timeoutMs: 5_000,
});

/** Creates an in-memory queue that records the numbers of dispatched messages and finished jobs. */
function createRecordedQueue(options: TestQueueOptions = {}): {
  queue: TestQueue;
  dispatched: number[];
  worked: number[];
  notified: number[];
} {
  const queue = createTestQueue({ definitions: [work], ...options });
  const [dispatched, worked, notified]: number[][] = [[], [], []];
  queue.outbox.dispatch(changed, async (rows) => {
    const numbers = rows.map(({ payload }) => payload.n);
    dispatched!.push(...numbers);
    return { afterCommit: async () => void notified!.push(...numbers) };
  });
  queue.jobs.handle(work, async ({ n }) => void worked!.push(n));
  return { queue, dispatched: dispatched!, worked: worked!, notified: notified! };
}

/** Commits a transaction that adds an outbox message and a job with the number `n`. */
const change = ({ pool, outbox, jobs }: TestQueue, n: number): Promise<void> =>
  withOutbox(pool, outbox, async (tx) => {
    outbox.add(tx, changed, { n });
    jobs.addInTransaction(tx, work, { n }, { id: `work-${n}` });
  });

describe('TestQueue.runOnce', () => {
  it('runs all ready work, including work that this work adds, and returns the number of items', async () => {
    const { queue, dispatched, worked, notified } = createRecordedQueue();
    await change(queue, 1);
    await change(queue, 2);
    expect([dispatched, worked]).toEqual([[], []]);
    expect(await queue.runOnce()).toEqual({ messages: 2, jobs: 2 });
    expect([dispatched, worked, notified]).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(await queue.runOnce()).toEqual({ messages: 0, jobs: 0 });
  });

  it('retries a job when the clock has reached the time of its next attempt', async () => {
    const queue = createTestQueue({ definitions: [work] });
    const attempts: number[] = [];
    queue.jobs.handle(work, async (_, { attempt }) => {
      attempts.push(attempt);
      throw new Error('not yet');
    });
    await queue.jobs.add(work, { n: 1 }, { id: 'one' });
    await queue.runOnce();
    await queue.clock.advance(999);
    await queue.runOnce();
    expect(attempts).toEqual([1]);
    await queue.clock.advance(1);
    await queue.runOnce();
    await queue.clock.advance(2_000);
    expect(await queue.runOnce()).toEqual({ messages: 0, jobs: 1 });
    expect(attempts).toEqual([1, 2, 3]);
    expect(await queue.jobs.find(work, 'one')).toMatchObject({ state: 'failed', attempts: 3, error: 'Error: not yet' });
  });

  it('waits for delays and runs jobs by priority', async () => {
    const { queue, dispatched, worked } = createRecordedQueue();
    await withOutbox(queue.pool, queue.outbox, async (tx) => {
      queue.outbox.add(tx, changed, { n: 1 }, { notBefore: new Date(queue.clock.now() + 60_000) });
    });
    await queue.jobs.add(work, { n: 1 }, { delayMs: 60_000 });
    await queue.jobs.add(work, { n: 2 }, { isBulk: true });
    await queue.jobs.add(work, { n: 3 }, { priority: 2 });
    await queue.jobs.add(work, { n: 4 });
    await queue.runOnce();
    expect([dispatched, worked]).toEqual([[], [4, 3, 2]]);
    await queue.clock.advance(60_000);
    await queue.runOnce();
    expect([dispatched, worked]).toEqual([[1], [4, 3, 2, 1]]);
  });

  it('ends an attempt at its time limit when the clock advances during the attempt', async () => {
    const queue = createTestQueue({ definitions: [work] });
    let reason: unknown;
    queue.jobs.handle(work, (_, { signal }) => {
      signal.addEventListener('abort', () => (reason = signal.reason));
      return new Promise(() => {});
    });
    await queue.jobs.add(work, { n: 1 }, { id: 'one' });
    const running = queue.runOnce();
    await queue.clock.advance(5_000);
    await running;
    expect(reason).toBeInstanceOf(JobTimeoutError);
    expect(await queue.jobs.find(work, 'one')).toMatchObject({ state: 'delayed', attempts: 1 });
  });

  it('throws when a job adds itself again without end', async () => {
    const queue = createTestQueue({ definitions: [work] });
    queue.jobs.handle(work, async ({ n }) => queue.jobs.add(work, { n: n + 1 }));
    await queue.jobs.add(work, { n: 1 });
    await expect(queue.runOnce()).rejects.toThrow(QueueUsageError);
  });

  it('leaves jobs without a handler', async () => {
    const queue = createTestQueue({ definitions: [work] });
    expect(() => queue.jobs.start()).toThrow('things.work has no handler');
    await queue.jobs.add(work, { n: 1 });
    expect(await queue.runOnce()).toEqual({ messages: 0, jobs: 0 });
    expect(await queue.jobs.metrics()).toMatchObject([{ job: 'things.work', waiting: 1 }]);
  });
});

describe('TestQueue', () => {
  it('lists messages, jobs and entries of committed transactions', async () => {
    const { queue } = createRecordedQueue({ context: () => ({ requestId: 'request-1' }) });
    await change(queue, 1);
    const { pool, outbox, events } = queue;
    await withOutbox(pool, outbox, async (tx) => {
      outbox.add(tx, changed, { n: 2 }, { key: 'k' });
      events.write(tx, { realm: 'shop', audience: { users: [7, 'ann'] }, event: { type: 'a' }, about: { b: 1 } });
    });
    await withOutbox(pool, outbox, async (tx) => {
      outbox.add(tx, changed, { n: 3 });
      throw new Error('refused');
    }).catch(() => {});
    expect(queue.listMessages(changed)).toMatchObject([
      { payload: { n: 1 }, key: null, state: 'waiting', attempts: 0 },
      { payload: { n: 2 }, key: 'k' },
    ]);
    await queue.runOnce();
    expect(queue.listMessages(changed).map(({ state }) => state)).toEqual(['dispatched', 'dispatched']);
    expect(queue.listJobs(work)).toMatchObject([{ id: 'work-1', payload: { n: 1 }, state: 'completed', attempts: 1 }]);
    expect(queue.listEntries('shop')).toEqual([
      { event: { type: 'a' }, about: { b: 1 }, audience: { users: [7, 'ann'], roles: [] } },
    ]);
    expect(queue.listEntries('other')).toEqual([]);
  });

  it('passes the trace fields of the request to dispatchers and jobs', async () => {
    const queue = createTestQueue({ definitions: [work], context: () => ({ requestId: 'request-1' }) });
    const seen: unknown[] = [];
    queue.outbox.dispatch(changed, async (rows) => void seen.push(rows[0]?.context));
    queue.jobs.handle(work, async (_, { requestId }) => void seen.push(requestId));
    await change(queue, 1);
    await queue.runOnce();
    expect(seen).toEqual([{ requestId: 'request-1' }, 'request-1']);
  });

  it('returns a heartbeat after 50 s, and expires queues without polls', async () => {
    const queue = createTestQueue();
    const options = { realm: 'shop', owner: '7', idleTimeoutSeconds: 600, filter: {}, capabilities: {} };
    const { queueId } = await queue.events.register(options, async () => null);
    const request = { realm: 'shop', owner: '7', queueId, lastEventId: -1, block: true };
    const polled = queue.events.poll(request, ({ event }) => [event]);
    await queue.clock.advance(50_000);
    expect(await polled).toEqual([{ type: 'heartbeat', id: 1 }]);
    await queue.clock.advance(600_000);
    await expect(queue.events.poll(request, () => [])).rejects.toThrow(`Bad event queue ID: ${queueId}`);
  });

  it('removes an event queue whose renderer throws', async () => {
    const queue = createTestQueue();
    const options = { realm: 'shop', owner: '7', idleTimeoutSeconds: 600, filter: {}, capabilities: {} };
    const { queueId } = await queue.events.register(options, async () => null);
    await withOutbox(queue.pool, queue.outbox, async (tx) =>
      queue.events.write(tx, { realm: 'shop', audience: { all: true }, event: { type: 'a' } }),
    );
    const request = { realm: 'shop', owner: '7', queueId, lastEventId: -1, block: false };
    const render = (): never => {
      throw new Error('unknown type');
    };
    await expect(queue.events.poll(request, render)).rejects.toThrow('unknown type');
    await expect(queue.events.poll(request, () => [])).rejects.toThrow('Bad event queue ID');
  });

  it('makes a message that does not match its schema a dead letter', async () => {
    const queue = createTestQueue();
    const strict = { ...changed, read: () => changed.payload.parse({ n: 'one' }) };
    queue.outbox.dispatch(strict, async () => {});
    await withOutbox(queue.pool, queue.outbox, async (tx) => queue.outbox.add(tx, changed, { n: 1 }));
    await queue.runOnce();
    expect(await queue.outbox.listDeadLetters(changed.name)).toMatchObject([{ attempts: 1, payload: { n: 1 } }]);
  });

  it('rejects insertSql, and provides no inline runner', async () => {
    const { queue } = createRecordedQueue();
    expect(() => queue.outbox.insertSql(changed, { from: 'things', payload: 'x' } as never)).toThrow(QueueUsageError);
    expect(queue.jobs.inlineRunner(work)).toBeNull();
  });
});

describe('simulateCrashAt', () => {
  const crashed = (name: string, nth = 1): ReturnType<typeof createRecordedQueue> =>
    createRecordedQueue({ faultPoint: simulateCrashAt({ name, nth }) });

  it('dispatches a committed message in the next run after a crash at outbox.after-commit', async () => {
    const { queue, dispatched, worked } = crashed('outbox.after-commit');
    await expect(change(queue, 1)).rejects.toThrow(SimulatedCrashError);
    await queue.runOnce();
    expect([dispatched, worked]).toEqual([[1], [1]]);
  });

  it('skips the work that follows the commit of a dispatch after a crash at outbox.after-dispatch', async () => {
    const { queue, dispatched, notified } = crashed('outbox.after-dispatch');
    await change(queue, 1);
    await expect(queue.runOnce()).rejects.toThrow('The process was killed at outbox.after-dispatch');
    await queue.runOnce();
    expect([dispatched, notified]).toEqual([[1], []]);
  });

  it('repeats a job after a crash at jobs.after-work, but not after a crash at jobs.after-removal', async () => {
    for (const [name, runs] of [
      ['jobs.after-work', [1, 1]],
      ['jobs.after-removal', [1]],
    ] as const) {
      const { queue, worked } = crashed(name);
      await change(queue, 1);
      await expect(queue.runOnce()).rejects.toThrow(SimulatedCrashError);
      await queue.runOnce();
      expect(worked, name).toEqual(runs);
      expect(await queue.jobs.failed(), name).toEqual([]);
    }
  });

  it('ends the run when the process dies in the handler of a job', async () => {
    const queue = createTestQueue({
      definitions: [work],
      faultPoint: simulateCrashAt({ name: 'outbox.after-commit', nth: 2 }),
    });
    let runs = 0;
    queue.jobs.handle(work, async () => {
      runs += 1;
      await withOutbox(queue.pool, queue.outbox, async (tx) => queue.outbox.add(tx, changed, { n: 9 }));
    });
    await change(queue, 1);
    await expect(queue.runOnce()).rejects.toThrow(SimulatedCrashError);
    await queue.runOnce();
    expect(runs).toBe(2);
    expect(await queue.jobs.find(work, 'work-1')).toMatchObject({ state: 'completed', attempts: 1 });
  });
});

describe('recordFaultPoints', () => {
  it('returns the names of the points that a test reaches', async () => {
    const { names, faultPoint } = recordFaultPoints();
    const { queue } = createRecordedQueue({ faultPoint });
    await change(queue, 1);
    await queue.runOnce();
    expect(names).toEqual(['outbox.after-commit', 'outbox.after-dispatch', 'jobs.after-work', 'jobs.after-removal']);
    expect(faultPoints).toEqual(expect.arrayContaining([...names]));
  });
});

describe('TestClock', () => {
  it('runs timers in the order of their times, including timers that other timers set', async () => {
    const clock = new TestClock(new Date(0));
    const calls: [string, number][] = [];
    const record = (name: string) => () => void calls.push([name, clock.now()]);
    clock.setTimeout(record('late'), 300);
    clock.setTimeout(() => clock.setTimeout(record('nested'), 50), 100);
    clock.clearTimeout(clock.setTimeout(record('cleared'), 10));
    clock.setTimeout(record('after'), 1_001);
    await clock.advance(1_000);
    expect(calls).toEqual([
      ['nested', 150],
      ['late', 300],
    ]);
    expect([clock.now(), clock.pendingTimers]).toEqual([1_000, 1]);
  });
});

describe('TestPool', () => {
  it('records SQL statements, and returns the rows that the test supplies', async () => {
    const pool = new TestPool(({ sql, params }) => (sql.startsWith('SELECT') ? [{ id: params[0] }] : []));
    const queue = createTestQueue({ pool });
    const found = await withOutbox(pool, queue.outbox, async (tx) => {
      await tx.query('INSERT INTO orders VALUES ($1)', [7]);
      return (await tx.query<{ id: number }>('SELECT id FROM orders WHERE id = $1', [7])).rows;
    });
    expect(found).toEqual([{ id: 7 }]);
    expect(pool.statements.map(({ sql }) => sql)).toEqual([
      'BEGIN ISOLATION LEVEL READ COMMITTED',
      'INSERT INTO orders VALUES ($1)',
      'SELECT id FROM orders WHERE id = $1',
      'COMMIT',
    ]);
  });
});
