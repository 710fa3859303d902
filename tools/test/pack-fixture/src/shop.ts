import { Inject, Injectable } from '@nestjs/common';
import { createDatabase, type Database } from '@switchboard/database';
import { InjectEventLog, InjectJobs, InjectOutbox, OnJob, OnOutboxMessage } from '@switchboard/nest';
import { OutboundClient } from '@switchboard/outbound';
import { getCurrentRequestId, type Logger } from '@switchboard/platform';
import {
  applyQueueMigrations,
  defineJob,
  defineOutboxMessage,
  type DispatchedOutboxRow,
  EventLog,
  type JobContext,
  Jobs,
  Outbox,
} from '@switchboard/queue';
import { z } from 'zod';
import { config } from './config.js';
import { DATABASE } from './tokens.js';

const order = z.strictObject({ id: z.int(), item: z.string() });
export type Order = z.infer<typeof order>;

const orderPlaced = defineOutboxMessage({ name: 'orders.placed', version: 1, payload: order });

/** Job that sends the receipt of an order by HTTP. */
export const sendReceipt = defineJob({
  name: 'receipts.send',
  payload: order,
  attempts: 8,
  backoff: { initialMs: 50, maxMs: 1_000 },
});
export const realm = 'shop';

/** The database with its outbox. */
export interface Storage {
  readonly database: Database;
  readonly outbox: Outbox;
}

/** Connects to the database and creates the tables. */
export async function openStorage(logger: Logger): Promise<Storage> {
  const { DATABASE_URL: url, REDIS_URL: redis, REDIS_KEY_PREFIX: prefix } = config;
  const database = createDatabase({
    url,
    applicationName: 'orders',
    slowQueryMs: config.SLOW_QUERY_MS,
    logger,
    beforeCommit: (tx) => outbox.flush(tx),
    afterCommit: (tx) => outbox.dispatchAfterCommit(tx),
  });
  const outbox = new Outbox({
    pool: database.pool,
    redis,
    prefix,
    logger,
    context: () => ({ requestId: getCurrentRequestId() }),
  });
  await applyQueueMigrations(database.pool);
  await database.query(
    'CREATE TABLE IF NOT EXISTS orders (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item text NOT NULL)',
  );
  return { database, outbox };
}

/** Sends a receipt for each placed order. */
@Injectable()
export class Receipts {
  constructor(
    @InjectJobs() private readonly jobs: Jobs,
    private readonly client: OutboundClient,
  ) {}

  @OnOutboxMessage(orderPlaced)
  async addJobs(rows: readonly DispatchedOutboxRow<Order>[]): Promise<{ afterCommit: () => Promise<void> }> {
    const work = rows.map((row) => ({ payload: row.payload, id: `receipt-${row.payload.id}`, context: row.context }));
    return { afterCommit: () => this.jobs.addBulk(sendReceipt, work) };
  }

  @OnJob(sendReceipt)
  async send(receipt: Order, { signal }: JobContext): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(receipt);
    const { status } = await this.client.request({ url: config.RECEIPTS_URL, method: 'POST', headers, body, signal });
    if (status !== 204) throw new Error(`The receipt got status ${status}`);
  }
}

/** Places orders: an order causes an event for pollers, and a receipt. */
@Injectable()
export class Shop {
  constructor(
    @Inject(DATABASE) readonly database: Database,
    @InjectOutbox() private readonly outbox: Outbox,
    @InjectEventLog() readonly events: EventLog,
  ) {}

  /** Inserts an order with its outbox message and event in one transaction. */
  placeOrder(userId: number, item: string): Promise<Order> {
    return this.database.inTransaction(async (tx) => {
      const { rows } = await tx.query<Order>('INSERT INTO orders (item) VALUES ($1) RETURNING id, item', [item]);
      const placed = order.parse(rows[0]);
      this.outbox.add(tx, orderPlaced, placed);
      this.events.write(tx, {
        realm,
        audience: { users: [userId] },
        event: { type: 'order', op: 'add', order: placed },
      });
      return placed;
    });
  }
}
