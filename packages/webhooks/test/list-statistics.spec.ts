import { processClock, silentLogger, type QueueTx, type TransactionHandle } from '@switchboard/queue';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Deliveries, DeliveryRetention, maxRequeuedDeliveries, removeEndpointsOfOwner } from '../src/index.js';
import { firstOverdueDeliveryPosition, type OverdueDeliveryPosition } from '../src/engine/delivery-store.js';
import { requeueMatchingDeliveries } from '../src/engine/requeue-deliveries.js';
import { createWebhookTableNames } from '../src/webhook-tables.js';
import { addDeliveries, countReads, endpointId, openTables, states, store } from './statistics-test-support.js';

/** Number of rows that each measured SQL statement returns or changes. */
const COUNT = 100;

/**
 * Maximum number of rows that an SQL statement may read: a few rows for each row of the result. The tables contain
 * 50,000 rows.
 */
const READ_LIMIT = 5 * COUNT;

const receiverOf = (n: number): string => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/**
 * Adds deliveries and attempts to the tables. Each measured statement should read only {@link COUNT} of the deliveries.
 */
async function addAllRows(pool: pg.Pool): Promise<void> {
  await addDeliveries(pool, { status: 'succeeded', lane: 'lane', count: 8_000 });
  await addDeliveries(pool, { status: 'queued', lane: 'due', count: 1_000 });
  await addDeliveries(pool, { status: 'failed', lane: 'lane', count: 500 });
  // Waiting deliveries of 20 receivers.
  await pool.query(
    `INSERT INTO webhooks.deliveries (id, endpoint_id, content_type, payload, created, next_attempt_at, waiting_for, attempts)
     SELECT gen_random_uuid(), ('10000000-0000-4000-8000-' || lpad((n % 20)::text, 12, '0'))::uuid, 'application/json', '{}',
       now() - interval '1 hour', now() + interval '1 hour', 'retry', 1 FROM generate_series(1, 20 * $1::int) n`,
    [COUNT],
  );
  await pool.query(
    `INSERT INTO webhooks.deliveries (id, endpoint_id, content_type, payload, status, next_attempt_at, finished)
     SELECT gen_random_uuid(), endpoint_id, 'application/json', '{}', 'succeeded', NULL, now() FROM webhooks.deliveries
      WHERE waiting_for IS NOT NULL`,
  );
  // Deliveries of a type of which one endpoint has many and another has few.
  await pool.query(
    `INSERT INTO webhooks.deliveries (id, endpoint_id, event, content_type, payload, status, next_attempt_at, finished)
     SELECT gen_random_uuid(), CASE WHEN n % 600 = 0 THEN $1 ELSE $2 END::uuid, 'frequent', 'application/json', '{}',
       'succeeded', NULL, now() FROM generate_series(1, 3000) n`,
    [receiverOf(3), endpointId],
  );
  await pool.query(
    `INSERT INTO webhooks.attempts (delivery_sequence, number, started, duration_ms)
     SELECT d.sequence, n, now() - interval '1 day', 1 FROM webhooks.deliveries d, generate_series(1, 2) n
      WHERE d.status <> 'queued'`,
  );
  const oldest = `SELECT sequence FROM webhooks.deliveries WHERE status = 'succeeded' ORDER BY sequence`;
  const longAgo = `now() - interval '40 days'`;
  await pool.query(`UPDATE webhooks.deliveries SET finished = ${longAgo} WHERE sequence IN (${oldest} LIMIT $1)`, [
    COUNT,
  ]);
  await pool.query(
    `UPDATE webhooks.attempts SET started = ${longAgo} WHERE number = 1
      AND delivery_sequence IN (${oldest} OFFSET 1000 LIMIT $1)`,
    [COUNT],
  );
  const rare = `SELECT sequence FROM webhooks.deliveries WHERE status <> 'queued' ORDER BY sequence % 97, sequence`;
  await pool.query(`UPDATE webhooks.deliveries SET event = 'rare' WHERE sequence IN (${rare} LIMIT $1)`, [COUNT]);
  // One delivery was created in each minute before now.
  await pool.query(
    `UPDATE webhooks.deliveries d SET created = now() - (newest.sequence - d.sequence) * interval '1 minute'
       FROM (SELECT max(sequence) AS sequence FROM webhooks.deliveries) newest`,
  );
}

/** Returns the creation time of a delivery that is followed by `count` later deliveries. */
const timeBefore = (count: number): string => new Date(Date.now() - count * 60_000).toISOString();

/** Filter that selects the failed deliveries among the 7,300 newest deliveries, without the 7,250 newest deliveries. */
const someFailed = { createdFrom: timeBefore(7_300), createdBefore: timeBefore(7_250) };

const deliveries = new Deliveries({
  tables: createWebhookTableNames('webhooks'),
  requeueMatchingDeliveries: (tx, condition) =>
    requeueMatchingDeliveries(
      tx,
      { store, outbox: { add: () => {} }, message: { name: 'requeued' } as never },
      condition,
    ),
});

/** Returns a transaction handle for the transaction on a connection. */
const handleOf = (client: QueueTx): TransactionHandle => ({
  isOpen: true,
  addCommitCheck: () => {},
  query: (sql, values) => client.query(sql, values),
});

/** Returns a measured statement that lists deliveries by a filter and checks the number of results. */
const list = (query: object, min: number, max: number) => async (client: pg.PoolClient) => {
  const { length } = (await deliveries.list(client, '', { limit: COUNT, ...query })).deliveries;
  expect(length).toBeGreaterThanOrEqual(min);
  expect(length).toBeLessThanOrEqual(max);
};

/** Measured SQL statements by name. */
const statements: readonly (readonly [string, (client: pg.PoolClient) => Promise<unknown>])[] = [
  [
    'listOverdue',
    async (client) => {
      const page = { overdueMs: 1_000, after: firstOverdueDeliveryPosition, limit: COUNT };
      expect((await store.listOverdue(client, page)).deliveries.length).toBeGreaterThan(10);
    },
  ],
  [
    'listOverdue of waiting deliveries, none of which is overdue',
    async (client) => {
      const after: OverdueDeliveryPosition = { ...firstOverdueDeliveryPosition, waits: 1 };
      const page = await store.listOverdue(client, { overdueMs: 1_000, after, limit: COUNT });
      expect(page).toEqual({ deliveries: [], next: null });
    },
  ],
  [
    'wakeReceiver',
    async (client) => expect(await store.makeReceiverDeliveriesDue(client, receiverOf(7))).toHaveLength(COUNT),
  ],
  [
    'wakeReceiver of an unknown receiver',
    async (client) => expect(await store.makeReceiverDeliveriesDue(client, 'x')).toEqual([]),
  ],
  [
    'listWaitingReceivers',
    async (client) => expect(await store.listWaitingReceivers(client, Date.now())).toHaveLength(20),
  ],
  [
    'DeliveryRetention.run',
    async (client) => {
      const { tables } = store;
      const options = { database: client, tables, days: 30, batchSize: COUNT, clock: processClock };
      // Each deleted delivery has two attempts, which are deleted with it.
      expect(await new DeliveryRetention({ ...options, logger: silentLogger }).run()).toBe(2 * COUNT);
    },
  ],
  [
    'removeOwner',
    async (client) => expect(await removeEndpointsOfOwner(client, { owner: '', limit: COUNT })).toBe(COUNT),
  ],
  ['Deliveries.list', list({}, COUNT, COUNT)],
  ['Deliveries.list of a rare type', list({ type: 'rare' }, COUNT, COUNT)],
  [
    'Deliveries.list of a type of which an endpoint has few',
    list({ type: 'frequent', endpointId: receiverOf(3) }, 5, 5),
  ],
  [
    'Deliveries.list of a frequent type of an unknown endpoint',
    list({ type: 'frequent', endpointId: receiverOf(99) }, 0, 0),
  ],
  ['Deliveries.list created before a time', list({ createdBefore: timeBefore(9_000) }, COUNT, COUNT)],
  ['Deliveries.list created from a future time', list({ createdFrom: timeBefore(-1_000) }, 0, 0)],
  ['Deliveries.list created before all', list({ createdBefore: '1970-01-01T00:00:00Z' }, 0, 0)],
  [
    'Deliveries.list of an endpoint created before a time',
    list({ endpointId, createdBefore: timeBefore(9_000) }, COUNT, COUNT),
  ],
  ['Deliveries.list of failed deliveries created in some minutes', list({ status: 'failed', ...someFailed }, 40, 60)],
  [
    'Deliveries.requeueAll of deliveries created in some minutes',
    async (client) => {
      const requeued = await deliveries.requeueAll(handleOf(client), '', someFailed);
      expect(requeued).toBeGreaterThan(40);
      expect(requeued).toBeLessThan(60);
    },
  ],
  ['Deliveries.list of an unknown type', list({ type: 'absent' }, 0, 0)],
  ['Deliveries.list of an endpoint', list({ endpointId: receiverOf(3) }, COUNT, COUNT)],
  ['Deliveries.list of an unknown endpoint', list({ endpointId: receiverOf(99) }, 0, 0)],
  ['Deliveries.list of failed deliveries', list({ status: 'failed' }, COUNT, COUNT)],
  ['Deliveries.list of queued deliveries', list({ status: 'queued' }, COUNT, COUNT)],
  ['Deliveries.list of succeeded deliveries of a rare type', list({ status: 'succeeded', type: 'rare' }, 1, COUNT)],
  ['Deliveries.list of queued deliveries of an endpoint', list({ status: 'queued', endpointId }, COUNT, COUNT)],
  [
    'Deliveries.list of queued deliveries of an unknown endpoint',
    list({ status: 'queued', endpointId: receiverOf(99) }, 0, 0),
  ],
  [
    'Deliveries.list of another owner',
    async (client) => expect((await deliveries.list(client, 'another')).deliveries).toEqual([]),
  ],
];

describe.each(states)('statements about many deliveries with %s', (_, prepare) => {
  let pool: pg.Pool;
  let release: () => Promise<void>;
  beforeAll(async () => {
    ({ pool, release } = await openTables());
    await prepare(pool, addAllRows);
  });
  afterAll(() => release());

  it.each(statements)('read few rows: %s', async (_name, run) => {
    const read = await countReads(pool, ['webhooks.deliveries', 'webhooks.attempts'], run);
    expect(Math.max(...Object.values(read)), JSON.stringify(read)).toBeLessThanOrEqual(READ_LIMIT);
  });
});

describe('Deliveries.requeueAll', () => {
  it('requeues deliveries that a concurrent uncommitted call has not requeued', async () => {
    const { pool, release } = await openTables();
    const [first, second] = [new pg.Client(pool.options), new pg.Client(pool.options)];
    try {
      await addDeliveries(pool, { status: 'failed', lane: 'lane', count: maxRequeuedDeliveries + 5 });
      await Promise.all([first.connect(), second.connect()]);
      const requeueAll = (client: QueueTx): Promise<number> => deliveries.requeueAll(handleOf(client), '');
      await first.query('BEGIN');
      expect(await requeueAll(first)).toBe(maxRequeuedDeliveries);
      expect(await requeueAll(second)).toBe(5);
      await first.query('COMMIT');
      expect(await requeueAll(first)).toBe(0);
    } finally {
      await Promise.all([first.end(), second.end()]);
      await release();
    }
  });
});

describe('DeliveryStore.listOverdue', () => {
  it('returns each overdue delivery that waits for no earlier delivery, in pages of any size', async () => {
    const { pool, release } = await openTables();
    try {
      await addDeliveries(pool, { status: 'queued', lane: 'due', count: 50 });
      await pool.query(
        `INSERT INTO webhooks.deliveries (id, endpoint_id, content_type, payload, next_attempt_at, waiting_for)
         SELECT gen_random_uuid(), $1::uuid, 'application/json', '{}', now() + n * interval '1 minute', w
           FROM generate_series(-9, 5, 2) n, unnest(ARRAY[NULL, 'retry', 'breaker']) w`,
        [endpointId],
      );
      const { rows: expected } = await pool.query<{ id: string }>(
        `SELECT d.id FROM webhooks.deliveries d WHERE d.next_attempt_at < now() AND NOT (${store.sql.isBlocked})`,
      );
      for (const limit of [1, 7, 500]) {
        const found: string[] = [];
        let after: OverdueDeliveryPosition | null = firstOverdueDeliveryPosition;
        while (after !== null) {
          const page: Awaited<ReturnType<typeof store.listOverdue>> = await store.listOverdue(pool, {
            overdueMs: 1_000,
            after,
            limit,
          });
          found.push(...page.deliveries.map(({ id }) => id));
          after = page.next;
        }
        expect(found.toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
      }
      expect(expected).toHaveLength(11 + 5 * 3);
    } finally {
      await release();
    }
  });
});
