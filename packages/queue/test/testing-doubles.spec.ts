import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  BadEventQueueError,
  EventAheadError,
  EventLog,
  EventPrunedError,
  createFlowJob,
  Jobs,
  Outbox,
  QueueUsageError,
  type QueuePool,
  type TransactionHandle,
  withOutbox,
} from '../src/index.js';
import { createTestQueue } from '../src/testing/index.js';
import { closeDay, orderPlaced, OrderService, sendReceipt } from './order-service.js';
import { redisUrl, sleep, testPool, uniqueName, until } from './queue-test-support.js';

const definitions = [sendReceipt, closeDay];

/** The example service with its queue, which is either the real queue or the test double. */
interface ServiceUnderTest {
  readonly service: OrderService;
  /** Performs one step of the service's due work. */
  readonly step: () => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

/** Creates the example service with the real queue on PostgreSQL and Redis. */
async function startRealService(): Promise<ServiceUnderTest> {
  const { pool, drop } = await testPool();
  await pool.query('CREATE TABLE orders (id int)');
  const prefix = uniqueName();
  const options = { pool, redis: redisUrl, prefix };
  const outbox = new Outbox(options);
  const jobs = new Jobs({ redis: redisUrl, prefix, definitions, outbox });
  const events = new EventLog({ ...options, outbox });
  const service = new OrderService({ pool, outbox, jobs, events });
  await outbox.start('all');
  jobs.start();
  events.start();
  await events.waitUntilStoreResponds();
  await until(() =>
    jobs.metrics().then(
      () => true,
      () => false,
    ),
  );
  return {
    service,
    step: () => Promise.all([outbox.sweep(), sleep(20)]),
    stop: async () => {
      await events.stop();
      await outbox.stop();
      await jobs.stop();
      await drop();
    },
  };
}

/** Creates the example service with the test double of the queue, on the given database pool. */
async function startDouble(pool?: QueuePool, stop = async (): Promise<void> => {}): Promise<ServiceUnderTest> {
  const queue = createTestQueue({ definitions, ...(pool && { pool }) });
  const service = new OrderService(queue);
  await queue.outbox.start('all');
  queue.jobs.start();
  queue.events.start();
  return { service, step: async () => (await queue.runOnce(), await queue.clock.advance(20)), stop };
}

async function startDoubleOnPostgres(): Promise<ServiceUnderTest> {
  const { pool, drop } = await testPool();
  await pool.query('CREATE TABLE orders (id int)');
  return startDouble(pool, drop);
}

describe.each([
  ['PostgreSQL and Redis', startRealService],
  ['createTestQueue', startDouble],
  ['createTestQueue with a pool of PostgreSQL', startDoubleOnPostgres],
])('service on %s', (_, start: () => Promise<ServiceUnderTest>) => {
  let service: OrderService;
  let step: ServiceUnderTest['step'];
  let stop: ServiceUnderTest['stop'];

  beforeEach(async () => {
    ({ service, step, stop } = await start());
  });
  afterEach(() => stop());

  /** Performs steps of the service's due work until a condition is true. */
  async function runUntil(check: () => boolean | Promise<boolean>): Promise<void> {
    for (let count = 0; count < 500; count += 1) {
      if (await check()) return;
      await step();
    }
    expect.fail(`not so after all steps: ${check.toString()}`);
  }

  it('dispatches the message, runs the job and delivers the event of a commit', async () => {
    const queueId = await service.register('7');
    const other = await service.register('8');
    const polled = service.poll('7', queueId, -1, true);
    await service.place(1, 'ann');
    expect(await polled).toEqual([{ id: 100, type: 'order', orderId: 1 }]);
    expect(await service.poll('8', other, -1)).toEqual([]);
    await runUntil(() => service.dispatched.length > 0 && service.receipts.length > 0);
    expect(service.dispatched).toEqual(['ann:1:2025']);
    expect(service.receipts).toEqual([1]);
    await runUntil(async () => (await service.queue.jobs.find(sendReceipt, 'receipt-1'))?.state === 'completed');
    expect(await service.queue.jobs.find(sendReceipt, 'receipt-1')).toMatchObject({
      payload: { orderId: 1 },
      result: { orderId: 1, attempt: 1 },
      attempts: 1,
      error: null,
    });
    expect(service.queue.outbox.dispatched()).toContainEqual({ topic: orderPlaced.name, count: 1 });
  });

  it('does nothing after a rollback', async () => {
    const queueId = await service.register('7');
    await expect(service.place(1, 'ann', true)).rejects.toThrow('refused');
    await service.place(2, 'bob');
    await runUntil(() => service.receipts.length > 0 && service.dispatched.length > 0);
    expect([service.dispatched, service.receipts]).toEqual([['bob:2:2025'], [2]]);
    expect(await service.poll('7', queueId, -1)).toMatchObject([{ orderId: 2 }]);
  });

  it('makes a failing message a dead letter, which blocks its key until requeued', async () => {
    const { outbox } = service.queue;
    service.failing.messages.add(1);
    await service.place(1, 'ann');
    await service.place(2, 'ann');
    await service.place(3, 'bob');
    await runUntil(async () => (await outbox.listDeadLetters(orderPlaced.name)).length > 0);
    await runUntil(() => service.dispatched.length > 0);
    expect(service.dispatched).toEqual(['bob:3:2025']);
    const [letter] = await outbox.listDeadLetters(orderPlaced.name, { errorIncludes: 'not accepted' });
    expect(letter).toMatchObject({
      key: 'ann',
      attempts: 2,
      error: 'Error: order 1 is not accepted',
      payload: { orderId: 1, at: new Date(Date.UTC(2025, 5, 1)) },
    });
    expect(await outbox.depth()).toContainEqual(
      expect.objectContaining({ topic: orderPlaced.name, waiting: 1, deadLetters: 1 }),
    );
    service.failing.messages.clear();
    expect(await outbox.requeue(orderPlaced.name, { ids: [letter?.id ?? 0] })).toBe(1);
    await runUntil(() => service.dispatched.length === 3);
    expect(service.dispatched).toEqual(['bob:3:2025', 'ann:1:2025', 'ann:2:2025']);
  });

  it('continues with the next message of a key when a dead letter is discarded', async () => {
    const { outbox } = service.queue;
    service.failing.messages.add(1);
    await service.place(1, 'ann');
    await service.place(2, 'ann');
    await runUntil(async () => (await outbox.listDeadLetters(orderPlaced.name)).length > 0);
    expect(await outbox.discard(orderPlaced.name, { key: 'ann' })).toBe(1);
    await runUntil(() => service.dispatched.length > 0);
    expect(service.dispatched).toEqual(['ann:2:2025']);
  });

  it('retries a failing job, and fails a job with a final error permanently', async () => {
    const { jobs } = service.queue;
    service.failing.once.add(1);
    service.failing.forever.add(2);
    await service.place(1, 'ann');
    await service.place(2, 'ann');
    await runUntil(async () => (await jobs.failed()).length > 0 && service.receipts.length > 0);
    expect(service.receipts).toEqual([1]);
    await runUntil(async () => (await jobs.find(sendReceipt, 'receipt-1'))?.state === 'completed');
    expect(await jobs.find(sendReceipt, 'receipt-1')).toMatchObject({
      attempts: 2,
      result: { orderId: 1, attempt: 2 },
    });
    expect(service.failures).toEqual([{ id: 'receipt-2', attempts: 1 }]);
    const failed = await jobs.failed({ job: sendReceipt, error: 'no address' });
    expect(failed).toMatchObject([{ id: 'receipt-2', attempts: 1, error: 'FinalJobError: no address' }]);
    expect(await jobs.failed({ maxBytes: 0 })).toEqual([
      { ...failed[0], payload: null, context: {}, stack: null, isShortened: true },
    ]);
    service.failing.forever.clear();
    expect(await jobs.requeue(sendReceipt, 'receipt-2')).toBe(true);
    await runUntil(() => service.receipts.includes(2));
  });

  it('ignores a job whose id is in use, and runs a paused kind of job only after it resumes', async () => {
    const { jobs } = service.queue;
    await jobs.pause(sendReceipt);
    await jobs.add(sendReceipt, { orderId: 1 }, { id: 'once' });
    await jobs.add(sendReceipt, { orderId: 2 }, { id: 'once' });
    for (let count = 0; count < 5; count += 1) await step();
    expect(service.receipts).toEqual([]);
    expect(await jobs.isPaused(sendReceipt)).toBe(true);
    expect(await jobs.pending(sendReceipt, ['once', 'other'])).toEqual(new Set(['once']));
    await jobs.resume(sendReceipt);
    await runUntil(() => service.receipts.length > 0);
    await jobs.add(sendReceipt, { orderId: 3 }, { id: 'once' });
    await jobs.add(sendReceipt, { orderId: 4 });
    await runUntil(() => service.receipts.includes(4));
    expect(service.receipts).toEqual([1, 4]);
  });

  it('counts, lists and removes jobs, or lists the logs of realms', async () => {
    const { jobs, events } = service.queue;
    service.failing.forever.add(2);
    await service.place(1, 'ann');
    await service.place(2, 'ann');
    await runUntil(() => service.receipts.length > 0 && service.failures.length > 0);
    await runUntil(async () => {
      const { failed, completed } = await jobs.counts(sendReceipt);
      return failed === 1 && completed === 1;
    });
    await jobs.pause(sendReceipt);
    for (const id of ['third', 'fourth']) await jobs.add(sendReceipt, { orderId: 3 }, { id });
    expect(jobs.kinds).toEqual([sendReceipt.name, closeDay.name]);
    expect(await jobs.counts(sendReceipt)).toMatchObject({ waiting: 2, completed: 1, failed: 1, active: 0 });
    const listed = await jobs.list(sendReceipt, { states: ['waiting', 'failed'], offset: 0, limit: 1 });
    expect(listed.map(({ id, state }) => [id, state])).toEqual([
      ['fourth', 'waiting'],
      ['receipt-2', 'failed'],
    ]);
    expect(await jobs.list(sendReceipt, { states: ['waiting'], offset: 1 })).toMatchObject([{ id: 'third' }]);
    expect(await jobs.removeFailed(sendReceipt, 'receipt-2')).toBe(true);
    expect(await jobs.removeFailed(sendReceipt, 'third')).toBe(false);
    expect(await jobs.find(sendReceipt, 'receipt-2')).toBeNull();
    await runUntil(async () => (await events.listRealms())[0]?.storedPosition === 2);
    expect(await events.listRealms()).toEqual([{ realm: 'shop', position: 2, storedPosition: 2, lag: 0, queues: 0 }]);
    expect(await events.listRealms({ after: 'shop' })).toEqual([]);
  });

  it('lists jobs and dead letters beyond maxBytes without their payloads', async () => {
    const { jobs, outbox } = service.queue;
    await jobs.pause(closeDay);
    const day = 'x'.repeat(1_000);
    for (const id of ['first', 'second']) await jobs.add(closeDay, { day }, { id });
    const listed = await jobs.list(closeDay, { states: ['waiting'], maxBytes: 1_900 });
    expect(listed).toMatchObject([
      { id: 'second', payload: { day } },
      { id: 'first', payload: null, isShortened: true },
    ]);
    expect(listed[0]).not.toHaveProperty('isShortened');
    service.failing.messages.add(1);
    await service.place(1, 'ann');
    await runUntil(async () => (await outbox.listDeadLetters(orderPlaced.name)).length > 0);
    const [within, beyond] = await Promise.all(
      [1_000, 0].map((maxBytes) => outbox.listDeadLetters(orderPlaced.name, {}, 10, 0, maxBytes)),
    );
    expect(within).toMatchObject([{ payload: { orderId: 1 } }]);
    expect(within?.[0]).not.toHaveProperty('isShortened');
    expect(beyond).toMatchObject([{ key: 'ann', payload: null, isShortened: true }]);
  });

  it('never starts a job of a transaction that was cancelled', async () => {
    const { jobs } = service.queue;
    await jobs.pause(sendReceipt);
    await service.place(1, 'ann');
    await service.place(2, 'ann');
    await runUntil(async () => (await jobs.metrics()).some(({ waiting }) => waiting === 2));
    expect(await jobs.cancel(sendReceipt, 'receipt-1')).toBe(true);
    expect(await jobs.cancel(sendReceipt, 'receipt-9')).toBe(false);
    await jobs.resume(sendReceipt);
    await runUntil(() => service.receipts.length > 0);
    expect(service.receipts).toEqual([2]);
  });

  it('runs the parent of a flow with the results and errors of its children', async () => {
    service.failing.forever.add(2);
    const children = [1, 2].map((orderId) => createFlowJob(sendReceipt, { orderId }, { onFailure: 'ignore' }));
    await service.queue.jobs.addFlow(createFlowJob(closeDay, { day: 'monday' }, { children }));
    await runUntil(() => service.days.length > 0);
    expect(service.days).toEqual([expect.arrayContaining([{ orderId: 1, attempt: 1 }, 'FinalJobError: no address'])]);
  });

  it('fails the parent of a flow when a child fails', async () => {
    const { jobs } = service.queue;
    service.failing.forever.add(2);
    const children = [createFlowJob(sendReceipt, { orderId: 2 })];
    await jobs.addFlow(createFlowJob(closeDay, { day: 'monday' }, { id: 'monday', children }));
    await runUntil(async () => (await jobs.find(closeDay, 'monday'))?.state === 'failed');
    expect(service.days).toEqual([]);
  });

  it('rejects polls of unknown queues, pruned events and events that never existed', async () => {
    const queueId = await service.register('7');
    await service.place(1, 'ann');
    await service.place(2, 'ann');
    await runUntil(async () => (await service.poll('7', queueId, -1)).length === 2);
    expect(await service.poll('7', queueId, 100)).toMatchObject([{ id: 200, orderId: 2 }]);
    await expect(service.poll('7', queueId, -1)).rejects.toThrow(EventPrunedError);
    await expect(service.poll('7', queueId, 900)).rejects.toThrow(EventAheadError);
    await expect(service.poll('8', queueId, 100)).rejects.toThrow(BadEventQueueError);
    await service.queue.events.remove({ realm: 'shop', queueId, owner: '7' });
    await expect(service.poll('7', queueId, 100)).rejects.toThrow(BadEventQueueError);
  });

  it('delivers an event to a user with a text id, and to no other user', async () => {
    const ann = '0193b1c2-7d3e-7a8b-9c0d-1e2f3a4b5c6d';
    const [own, other] = [await service.register(ann), await service.register('7')];
    const { pool, outbox, events } = service.queue;
    await withOutbox(pool, outbox, async (tx) => {
      events.write(tx, { realm: 'shop', audience: { users: [ann] }, event: { type: 'note' } });
    });
    await runUntil(async () => (await service.poll(ann, own, -1)).length === 1);
    expect(await service.poll('7', other, -1)).toEqual([]);
  });

  it('ends a pending poll without events when another poll begins, or when the queue is removed', async () => {
    const queueId = await service.register('7');
    const [first, second] = [service.poll('7', queueId, -1, true), sleep(50)];
    await second;
    const third = service.poll('7', queueId, -1, true);
    expect(await first).toEqual([]);
    await sleep(50);
    expect(await service.queue.events.listOwnersOfQueues('shop', ['7', '8'])).toEqual(new Set(['7']));
    expect(await service.queue.events.removeOwned('shop', ['7'])).toBe(1);
    expect(await third).toEqual([]);
  });

  it('streams events, and ends the stream when the queue is removed', async () => {
    const queueId = await service.register('7');
    const calls: unknown[] = [];
    service.queue.events.stream({ realm: 'shop', owner: '7', queueId, lastEventId: -1 }, ({ event }) => [event], {
      onWaiting: () => calls.push('waiting'),
      onEvents: (events, resume) => {
        calls.push(events.map(({ id }) => id));
        resume();
      },
      onEnded: () => calls.push('ended'),
      onFailed: (error) => calls.push(error),
    });
    await runUntil(() => calls.length === 1);
    await service.place(1, 'ann');
    await runUntil(() => calls.length === 3);
    await service.queue.events.remove({ realm: 'shop', queueId, owner: '7' });
    await runUntil(() => calls.length === 4);
    expect(calls).toEqual(['waiting', [100], 'waiting', expect.any(BadEventQueueError)]);
  });

  it('throws QueueUsageError when a method is called incorrectly', async () => {
    const { pool, outbox, jobs, events } = service.queue;
    const at = new Date(0);
    const payload = { orderId: 1, at };
    expect(() => outbox.add(pool as unknown as TransactionHandle, orderPlaced, payload, { key: 'ann' })).toThrow(
      QueueUsageError,
    );
    expect(() => outbox.dispatch(orderPlaced, async () => {})).toThrow(QueueUsageError);
    expect(() => jobs.handle({ ...sendReceipt, name: 'unknown' }, async () => {})).toThrow(QueueUsageError);
    await expect(jobs.add(sendReceipt, { orderId: 1.5 })).rejects.toThrow('Invalid');
    await expect(jobs.add(sendReceipt, { orderId: 1 }, { priority: 0 })).rejects.toThrow(QueueUsageError);
    const connection = await pool.connect();
    const tx = await outbox.begin(connection);
    expect(() => outbox.add(tx, orderPlaced, payload)).toThrow('a key is required');
    expect(() => outbox.add(tx, orderPlaced, { orderId: 1.5, at }, { key: 'ann' })).toThrow('Invalid');
    expect(() => events.write(tx, { realm: 'shop', audience: { all: true }, event: { id: 1 } })).toThrow(
      QueueUsageError,
    );
    await expect(outbox.begin(connection)).rejects.toThrow(QueueUsageError);
    outbox.add(tx, orderPlaced, payload, { key: 'ann' });
    await expect(tx.commit()).rejects.toThrow('1 outbox rows were added after the last flush');
    connection.release();
    for (let count = 0; count < 5; count += 1) await step();
    expect(service.dispatched).toEqual([]);
  });
});
