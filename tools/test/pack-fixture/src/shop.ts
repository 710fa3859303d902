import { createDatabase, type Database } from '@switchboard/database';
import { OutboundClient } from '@switchboard/outbound';
import { currentRequestId, type Logger } from '@switchboard/platform';
import { applyQueueMigrations, defineJob, defineOutboxMessage, EventLog, Jobs, Outbox } from '@switchboard/queue';
import { z } from 'zod';
import { config } from './config.js';

const order = z.strictObject({ id: z.int(), item: z.string() });
export type Order = z.infer<typeof order>;

const orderPlaced = defineOutboxMessage({ name: 'orders.placed', version: 1, payload: order });
const sendReceipt = defineJob({
  name: 'receipts.send',
  payload: order,
  attempts: 8,
  backoff: { initialMs: 50, maxMs: 1_000 },
});
export const realm = 'shop';

/** Components of the service. */
export interface Shop {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly jobs: Jobs;
  readonly events: EventLog;
  readonly client: OutboundClient;
}

/**
 * Creates the tables and connects the components: an order causes an event for pollers, and a receipt that is sent by
 * HTTP.
 */
export async function openShop(logger: Logger): Promise<Shop> {
  const { DATABASE_URL: url, REDIS_URL: redis, REDIS_KEY_PREFIX: prefix } = config;
  const database = createDatabase({
    url,
    applicationName: 'orders',
    slowQueryMs: config.SLOW_QUERY_MS,
    logger,
    beforeCommit: (tx) => outbox.flush(tx),
    afterCommit: (tx) => outbox.committed(tx),
  });
  const outbox = new Outbox({
    pool: database.pool,
    redis,
    prefix,
    logger,
    context: () => ({ requestId: currentRequestId() }),
  });
  const jobs = new Jobs({ redis, prefix, logger, definitions: [sendReceipt] });
  const events = new EventLog({ outbox, pool: database.pool, redis, prefix, logger });
  const client = new OutboundClient({
    policy: { allowLoopback: true, allowPrivate: false, allowHosts: [], allowNetworks: [] },
  });

  outbox.dispatch(orderPlaced, (rows) => {
    const work = rows.map((row) => ({ payload: row.payload, id: `receipt-${row.payload.id}`, context: row.context }));
    return Promise.resolve({ afterCommit: () => jobs.addBulk(sendReceipt, work) });
  });
  jobs.handle(sendReceipt, async (receipt, { signal }) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(receipt);
    const { status } = await client.request({ url: config.RECEIPTS_URL, method: 'POST', headers, body, signal });
    if (status !== 204) throw new Error(`The receipt got status ${status}`);
  });

  await applyQueueMigrations(database.pool);
  await database.query(
    'CREATE TABLE IF NOT EXISTS orders (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item text NOT NULL)',
  );
  await outbox.start('all');
  jobs.start();
  events.start();
  return { database, outbox, jobs, events, client };
}

/** Inserts an order with its outbox message and its event in one transaction. */
export function placeOrder({ database, outbox, events }: Shop, userId: number, item: string): Promise<Order> {
  return database.inTransaction(async (tx) => {
    const { rows } = await tx.query<Order>('INSERT INTO orders (item) VALUES ($1) RETURNING id, item', [item]);
    const placed = order.parse(rows[0]);
    outbox.add(tx, orderPlaced, placed);
    events.write(tx, { realm, audience: { users: [userId] }, event: { type: 'order', op: 'add', order: placed } });
    return placed;
  });
}
