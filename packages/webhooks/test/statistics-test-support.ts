import { applyQueueMigrations } from '@switchboard/queue';
import { openTestDatabase, selectCases } from '@switchboard/testing';
import pg from 'pg';
import { DeliveryStore } from '../src/engine/delivery-store.js';
import { applyWebhookMigrations } from '../src/index.js';

export const endpointId = '00000000-0000-4000-8000-000000000001';

/** Store of webhook deliveries in which each endpoint has its own receiver. */
export const store = new DeliveryStore<unknown>({
  deliveries: 'webhooks.deliveries',
  attempts: 'webhooks.attempts',
  laneSql: (d) => `(${d}.endpoint_id::text || ' ' || ${d}.order_key)`,
  endpointSql: (d) => `${d}.endpoint_id`,
  receiverSql: (d) => `${d}.endpoint_id::text`,
  targetSql: (d) => `json_build_object('id', ${d}.endpoint_id)`,
});

/** Description of the deliveries that {@link addDeliveries} adds. */
export interface NewDeliveries {
  readonly status: 'queued' | 'succeeded' | 'failed';
  readonly lane: string;
  readonly count: number;
}

/** Adds deliveries to the table, five deliveries for each order key. Queued deliveries are overdue. */
export async function addDeliveries(pool: pg.Pool, { status, lane, count }: NewDeliveries): Promise<void> {
  await pool.query(
    `INSERT INTO webhooks.deliveries
       (id, endpoint_id, order_key, content_type, payload, status, next_attempt_at, last_attempt_at, finished)
     SELECT gen_random_uuid(), $1::uuid, $2 || n / 5, 'application/json', '{}', $3::text,
       CASE WHEN $3 = 'queued' THEN now() - interval '1 hour' END, now(), CASE WHEN $3 <> 'queued' THEN now() END
     FROM generate_series(1, $4::int) n`,
    [endpointId, lane, status, count],
  );
}

/**
 * A test state of PostgreSQL's table statistics: its name, and a function that adds the given rows and produces the
 * state.
 */
export type StatisticsState = readonly [
  string,
  (pool: pg.Pool, addRows: (pool: pg.Pool) => Promise<void>) => Promise<void>,
];

const analyze = (pool: pg.Pool) => pool.query('ANALYZE webhooks.deliveries, webhooks.attempts');

/** States of the table statistics in which PostgreSQL's planner chooses different plans. */
const allStates: readonly StatisticsState[] = [
  ['no statistics', (pool, addRows) => addRows(pool)],
  [
    'statistics of an empty table with many pages',
    async (pool, addRows) => {
      await addDeliveries(pool, { status: 'queued', lane: 'old', count: 8_000 });
      await pool.query(`INSERT INTO webhooks.attempts (delivery_sequence, number, started, duration_ms)
        SELECT sequence, 1, now(), 1 FROM webhooks.deliveries`);
      await pool.query('DELETE FROM webhooks.deliveries');
      await analyze(pool);
      await addRows(pool);
    },
  ],
  [
    'statistics of a few queued deliveries',
    async (pool, addRows) => {
      await addDeliveries(pool, { status: 'queued', lane: 'old', count: 4 });
      await analyze(pool);
      await addRows(pool);
    },
  ],
  [
    'statistics of all rows',
    async (pool, addRows) => {
      await addRows(pool);
      await analyze(pool);
    },
  ],
];

/** States of the run: the two whose statistics differ most, or all in a long run. */
export const states = selectCases(
  allStates,
  ([name]) => name === 'statistics of an empty table with many pages' || name === 'statistics of all rows',
);

/** Creates a database with the tables of the packages queue and webhooks. The table statistics change only by ANALYZE. */
export async function openTables(): Promise<{ pool: pg.Pool; release: () => Promise<void> }> {
  const database = await openTestDatabase({ name: 'deliveries', hash: 'empty', prepare: async () => {}, unused: true });
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  pool.on('error', () => {});
  await applyQueueMigrations(pool);
  await applyWebhookMigrations(pool);
  for (const table of ['deliveries', 'attempts']) {
    await pool.query(`ALTER TABLE webhooks.${table} SET (autovacuum_enabled = false)`);
  }
  return {
    pool,
    release: async () => {
      await pool.end();
      await database.release();
    },
  };
}

/**
 * Runs SQL statements in a transaction that is rolled back, with custom plans and with generic plans. Returns the
 * number of rows of the given tables that were read, by the kind of plan.
 */
export async function countReads(
  pool: pg.Pool,
  tables: readonly string[],
  run: (client: pg.PoolClient) => Promise<unknown>,
): Promise<Record<string, number>> {
  const client = await pool.connect();
  const rowsRead = async (): Promise<number> => {
    const { rows } = await client.query<{ n: number }>(
      `SELECT sum(seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_user_tables
        WHERE relid = ANY ($1::regclass[])`,
      [tables],
    );
    return rows[0]?.n ?? Number.NaN;
  };
  const read: Record<string, number> = {};
  try {
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`BEGIN; SET LOCAL plan_cache_mode = ${mode}; SET LOCAL jit = off`);
      const before = await rowsRead();
      await run(client);
      read[mode] = (await rowsRead()) - before;
      await client.query('ROLLBACK');
    }
  } finally {
    client.release(true);
  }
  return read;
}
