import type { QueueTx } from '@switchboard/queue';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDeliveries, countReads, openTables, states, store } from './statistics-test-support.js';

/** Maximum number of rows that an SQL statement about one delivery may read. The table contains 11,000 rows. */
const READ_LIMIT = 50;

async function addAllDeliveries(pool: pg.Pool): Promise<void> {
  await addDeliveries(pool, { status: 'succeeded', lane: 'lane', count: 5_000 });
  await addDeliveries(pool, { status: 'queued', lane: 'lane', count: 3_000 });
  await addDeliveries(pool, { status: 'failed', lane: 'lane', count: 500 });
  await addDeliveries(pool, { status: 'succeeded', lane: 'later', count: 2_500 });
}

const record = { request: null, response: null, error: null, durationMs: 1 };
const attempt = (id: string) => ({ id, attempt: 0 });

/**
 * Measured statements by name. A statement receives the ids of a queued delivery, a delivery behind another queued
 * delivery, and a failed delivery.
 */
const statements: readonly (readonly [
  string,
  (tx: QueueTx, ids: readonly [string, string, string]) => Promise<unknown>,
])[] = [
  ['claim', async (tx, [queued]) => expect(await store.claim(tx, queued, 1_000)).not.toBeNull()],
  ['claim of a blocked delivery', async (tx, [, blocked]) => expect(await store.claim(tx, blocked, 1_000)).toBeNull()],
  ['findClaimedOrLaterDelivery', (tx, [queued]) => store.findClaimedOrLaterDelivery(tx, queued)],
  ['listQueuedDeliveries', async (tx, ids) => expect(await store.listQueuedDeliveries(tx, ids)).toHaveLength(2)],
  [
    'listUnblocked',
    async (tx, ids) => expect([...(await store.listWithoutEarlierDelivery(tx, ids))]).toEqual([ids[0]]),
  ],
  ['finish', async (tx, [queued]) => expect(await store.finish(tx, attempt(queued), 'succeeded', record)).toBe(true)],
  [
    'postpone',
    async (tx, [queued]) => expect(await store.scheduleNextAttempt(tx, attempt(queued), 9, record)).toHaveLength(1),
  ],
  [
    'deferForSuspendedReceiver',
    async (tx, [queued]) => expect(await store.deferForSuspendedReceiver(tx, queued, 9)).toHaveLength(1),
  ],
  ['releaseAbortedAttempt', (tx, [queued]) => store.releaseAbortedAttempt(tx, attempt(queued))],
  ['makeNextDeliveryDue', async (tx, [queued]) => expect(await store.makeNextDeliveryDue(tx, queued)).toHaveLength(1)],
  [
    'makeNextDeliveryDue without a later delivery',
    async (tx, [, , failed]) => expect(await store.makeNextDeliveryDue(tx, failed)).toEqual([]),
  ],
  ['requeue', async (tx, [, , failed]) => expect(await store.requeue(tx, failed)).toHaveLength(1)],
  [
    'renewOverdueDeliveries',
    async (tx, ids) => expect(await store.renewOverdueDeliveries(tx, ids, 1_000)).toHaveLength(2),
  ],
];

describe.each(states)('statements about one delivery with %s', (_, prepare) => {
  let pool: pg.Pool;
  let release: () => Promise<void>;
  let ids: [string, string, string];
  beforeAll(async () => {
    ({ pool, release } = await openTables());
    await prepare(pool, addAllDeliveries);
    const idOf = async (key: string, status: string, order: string): Promise<string> => {
      const sql = `SELECT id FROM webhooks.deliveries WHERE order_key = $1 AND status = $2 ORDER BY sequence ${order} LIMIT 1`;
      return (await pool.query<{ id: string }>(sql, [key, status])).rows[0]?.id ?? '';
    };
    // No queued delivery follows the failed one.
    ids = [
      await idOf('lane300', 'queued', 'ASC'),
      await idOf('lane300', 'queued', 'DESC'),
      await idOf('lane50', 'failed', 'DESC'),
    ];
  });
  afterAll(() => release());

  it.each(statements)('read few rows: %s', async (_name, run) => {
    const read = await countReads(pool, ['webhooks.deliveries'], (client) => run(client, ids));
    expect(Math.max(...Object.values(read)), JSON.stringify(read)).toBeLessThanOrEqual(READ_LIMIT);
  });
});
