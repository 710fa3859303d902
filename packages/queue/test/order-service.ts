import { z } from 'zod';
import {
  defineJob,
  defineOutboxMessage,
  FinalJobError,
  withOutbox,
  type ClientEvent,
  type EventLog,
  type Jobs,
  type Outbox,
  type QueuePool,
} from '../src/index.js';

/** Parts of the queue package that the example service uses: either the real classes or their test doubles. */
export interface ServiceQueue {
  readonly pool: QueuePool;
  readonly outbox: Outbox;
  readonly jobs: Jobs;
  readonly events: EventLog;
}

export const orderPlaced = defineOutboxMessage({
  name: 'orders.placed',
  version: 1,
  payload: z.strictObject({ orderId: z.int(), at: z.date() }),
  order: 'key',
});

export const sendReceipt = defineJob({
  name: 'receipts.send',
  payload: z.strictObject({ orderId: z.int() }),
  attempts: 3,
  backoff: { initialMs: 20, maxMs: 40 },
});

export const closeDay = defineJob({ name: 'days.close', payload: z.strictObject({ day: z.string() }) });

/** A small example service that takes orders. Its code uses the queue package like a user's service. */
export class OrderService {
  /** Ids of the orders for which a receipt was sent. An id is repeated if the receipt was sent again. */
  readonly receipts: number[] = [];
  /** Dispatched outbox messages, as texts of key, order id and year. */
  readonly dispatched: string[] = [];
  /**
   * Ids of orders for which the service fails: whose receipt fails once or for ever, or whose message is not accepted.
   */
  readonly failing = { once: new Set<number>(), forever: new Set<number>(), messages: new Set<number>() };
  /** Permanent job failures that were reported to the service. */
  readonly failures: { id: string; attempts: number }[] = [];
  /** For each closed day, the results or errors of the receipts of that day. */
  readonly days: unknown[] = [];

  constructor(readonly queue: ServiceQueue) {
    const { outbox, jobs } = queue;
    outbox.dispatch(
      orderPlaced,
      async (rows) => {
        for (const { payload, key } of rows) {
          if (this.failing.messages.has(payload.orderId)) throw new Error(`order ${payload.orderId} is not accepted`);
          this.dispatched.push(`${key}:${payload.orderId}:${payload.at.getUTCFullYear()}`);
        }
      },
      { maxAttempts: 2, retryDelayMs: 10, batchSize: 1 },
    );
    jobs.handle(sendReceipt, async ({ orderId }, { attempt }) => {
      if (this.failing.forever.has(orderId)) throw new FinalJobError('no address');
      if (this.failing.once.delete(orderId)) throw new Error('mail server is down');
      this.receipts.push(orderId);
      return { orderId, attempt };
    });
    jobs.handle(closeDay, async (_, { children }) => {
      this.days.push((await children()).map(({ result, error }) => result ?? error));
    });
    jobs.onFailed(sendReceipt, async ({ id, attempts }) => void this.failures.push({ id, attempts }));
  }

  /**
   * Places an order. The order's message, job and event commit in one transaction with the order, unless `fails` is
   * true.
   */
  async place(orderId: number, customer: string, fails = false): Promise<void> {
    const { pool, outbox, jobs, events } = this.queue;
    await withOutbox(pool, outbox, async (tx) => {
      await tx.query('INSERT INTO orders (id) VALUES ($1)', [orderId]);
      outbox.add(tx, orderPlaced, { orderId, at: new Date(Date.UTC(2025, 5, 1)) }, { key: customer });
      jobs.addInTransaction(tx, sendReceipt, { orderId }, { id: `receipt-${orderId}` });
      events.write(tx, { realm: 'shop', audience: { users: [7] }, event: { type: 'order', orderId } });
      if (fails) throw new Error('refused');
    });
  }

  async register(owner: string): Promise<string> {
    const options = { realm: 'shop', owner, idleTimeoutSeconds: 600, filter: {}, capabilities: {} };
    return (await this.queue.events.register(options, async () => null)).queueId;
  }

  poll(owner: string, queueId: string, lastEventId: number, block = false): Promise<ClientEvent[]> {
    const request = { realm: 'shop', owner, queueId, lastEventId, block, signal: undefined };
    return this.queue.events.poll(request, ({ event }) => [event]);
  }
}
