import { readFile } from 'node:fs/promises';
import type { QueueTx } from '@switchboard/queue';
import { testDatabase } from '@switchboard/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeliveryStore } from '../src/engine/delivery-store.js';

const deliveriesSql = new URL('../sql/001_deliveries.sql', import.meta.url);

/** Maximum number of rows that a statement about one delivery may read. The table contains 11,000 rows. */
const READ_LIMIT = 50;

const endpointId = '00000000-0000-0000-0000-000000000001';

const store = new DeliveryStore<unknown>({
  deliveries: 'webhooks.deliveries',
  attempts: 'webhooks.attempts',
  laneSql: (d) => `(${d}.endpoint_id::text || ' ' || ${d}.order_key)`,
  receiverSql: (d) => `${d}.endpoint_id::text`,
  targetSql: (d) => `json_build_object('id', ${d}.endpoint_id)`,
});

interface NewDeliveries {
  readonly status: 'queued' | 'succeeded' | 'failed';
  readonly lane: string;
  readonly count: number;
}

/** Adds deliveries, five for each order key. */
async function addDeliveries(pool: pg.Pool, { status, lane, count }: NewDeliveries): Promise<void> {
  await pool.query(
    `INSERT INTO webhooks.deliveries (id, endpoint_id, order_key, content_type, payload, status, next_attempt_at, last_attempt_at)
     SELECT gen_random_uuid(), $1::uuid, $2 || n / 5, 'application/json', '{}', $3::text,
       CASE WHEN $3 = 'queued' THEN now() - interval '1 hour' END, now()
     FROM generate_series(1, $4::int) n`,
    [endpointId, lane, status, count],
  );
}

async function addAllDeliveries(pool: pg.Pool): Promise<void> {
  await addDeliveries(pool, { status: 'succeeded', lane: 'lane', count: 5_000 });
  await addDeliveries(pool, { status: 'queued', lane: 'lane', count: 3_000 });
  await addDeliveries(pool, { status: 'failed', lane: 'lane', count: 500 });
  await addDeliveries(pool, { status: 'succeeded', lane: 'later', count: 2_500 });
}

const analyze = (pool: pg.Pool) => pool.query('ANALYZE webhooks.deliveries');

const states: readonly (readonly [string, (pool: pg.Pool) => Promise<unknown>])[] = [
  ['no statistics', addAllDeliveries],
  [
    'statistics of an empty table with many pages',
    async (pool) => {
      await addDeliveries(pool, { status: 'queued', lane: 'old', count: 20_000 });
      await pool.query('DELETE FROM webhooks.deliveries');
      await analyze(pool);
      await addAllDeliveries(pool);
    },
  ],
  [
    'statistics of a few queued deliveries',
    async (pool) => {
      await addDeliveries(pool, { status: 'queued', lane: 'old', count: 4 });
      await analyze(pool);
      await addAllDeliveries(pool);
    },
  ],
  ['statistics of all rows', async (pool) => [await addAllDeliveries(pool), await analyze(pool)]],
];

const record = { request: null, response: null, error: null, durationMs: 1 };
const attempt = (id: string) => ({ id, attempt: 0 });

/** Statements by name. Each gets the ids of a queued, a blocked and a failed delivery. */
const statements: readonly (readonly [
  string,
  (tx: QueueTx, ids: readonly [string, string, string]) => Promise<unknown>,
])[] = [
  ['claim', async (tx, [queued]) => expect(await store.claim(tx, queued, 1_000)).not.toBeNull()],
  ['claim of a blocked delivery', async (tx, [, blocked]) => expect(await store.claim(tx, blocked, 1_000)).toBeNull()],
  ['findLater', (tx, [queued]) => store.findLater(tx, queued)],
  ['listDue', async (tx, ids) => expect(await store.listDue(tx, ids)).toHaveLength(2)],
  ['finish', async (tx, [queued]) => expect(await store.finish(tx, attempt(queued), 'succeeded', record)).toBe(true)],
  ['postpone', async (tx, [queued]) => expect(await store.postpone(tx, attempt(queued), 9, record)).toHaveLength(1)],
  ['defer', async (tx, [queued]) => expect(await store.defer(tx, queued, 9)).toHaveLength(1)],
  ['release', (tx, [queued]) => store.release(tx, attempt(queued))],
  ['wakeNext', async (tx, [queued]) => expect(await store.wakeNext(tx, queued)).toHaveLength(1)],
  [
    'wakeNext without a later delivery',
    async (tx, [, , failed]) => expect(await store.wakeNext(tx, failed)).toEqual([]),
  ],
  ['requeue', async (tx, [, , failed]) => expect(await store.requeue(tx, failed)).toHaveLength(1)],
  ['renew', async (tx, ids) => expect(await store.renew(tx, ids, 1_000)).toHaveLength(2)],
];

describe.each(states)('statements about one delivery with %s', (_, prepare) => {
  let pool: pg.Pool;
  let release: () => Promise<void>;
  let ids: [string, string, string];
  beforeAll(async () => {
    const database = await testDatabase({ name: 'deliveries', hash: 'empty', prepare: async () => {} });
    pool = new pg.Pool({ connectionString: database.url, max: 1 });
    pool.on('error', () => {});
    release = () => database.release();
    await pool.query('CREATE SCHEMA webhooks');
    await pool.query(await readFile(deliveriesSql, 'utf8'));
    // A vacuum would change the statistics.
    await pool.query('ALTER TABLE webhooks.deliveries SET (autovacuum_enabled = false)');
    await prepare(pool);
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
  afterAll(async () => {
    await pool.end();
    await release();
  });

  it.each(statements)('read few rows: %s', async (_name, run) => {
    const client = await pool.connect();
    const rowsRead = async (): Promise<number> => {
      const { rows } = await client.query<{ n: number }>(
        `SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_user_tables
          WHERE relid = 'webhooks.deliveries'::regclass`,
      );
      return rows[0]?.n ?? Number.NaN;
    };
    const read: Record<string, number> = {};
    try {
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await client.query(`BEGIN; SET LOCAL plan_cache_mode = ${mode}; SET LOCAL jit = off`);
        const before = await rowsRead();
        await run(client, ids);
        read[mode] = (await rowsRead()) - before;
        await client.query('ROLLBACK');
      }
    } finally {
      client.release(true);
    }
    expect(Math.max(...Object.values(read)), JSON.stringify(read)).toBeLessThanOrEqual(READ_LIMIT);
  });
});
