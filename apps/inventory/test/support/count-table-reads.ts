import type { Tx } from '@switchboard/database';
import { selectCases } from '@switchboard/testing';
import type pg from 'pg';

/**
 * Runs SQL statements in a transaction that is rolled back, both with custom plans and with generic plans. Returns the
 * number of rows that the statements read from the given table, for each kind of plan.
 */
export async function countReads(
  pool: Pick<pg.Pool, 'connect'>,
  table: string,
  run: (tx: Tx) => Promise<unknown>,
): Promise<Record<string, number>> {
  const client = await pool.connect();
  const tx = {
    query: async (text: string, values: unknown[] = []) => {
      const { rows, rowCount } = await client.query(text, values);
      return { rows, rowCount: rowCount ?? 0 };
    },
  } as Tx;
  const rowsRead = async (): Promise<number> => {
    const { rows } = await client.query<{ n: number }>(
      `SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_user_tables WHERE relid = $1::regclass`,
      [table],
    );
    return rows[0]?.n ?? Number.NaN;
  };
  const read: Record<string, number> = {};
  try {
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`BEGIN; SET LOCAL plan_cache_mode = ${mode}; SET LOCAL jit = off`);
      const before = await rowsRead();
      await run(tx);
      read[mode] = (await rowsRead()) - before;
      await client.query('ROLLBACK');
    }
  } finally {
    client.release(true);
  }
  return read;
}

/**
 * A named state of PostgreSQL's table statistics. A function brings a table into the state and inserts the given rows.
 */
export type StatisticsState = readonly [
  string,
  (query: (sql: string) => Promise<unknown>, table: string, rows: TableRows) => Promise<void>,
];

/** SQL statements that insert rows into the tested table. */
export interface TableRows {
  /** Returns the SQL statement that inserts the given number of rows, which are deleted later. */
  readonly insertOld: (count: number) => string;
  /** SQL statements that insert the rows that the tested statements read. */
  readonly insertAll: readonly string[];
}

/** States of PostgreSQL's table statistics in which the planner chooses different plans. */
const allStatisticsStates: readonly StatisticsState[] = [
  ['no statistics', (query, _, rows) => insertAll(query, rows)],
  [
    'statistics of an empty table with many pages',
    async (query, table, rows) => {
      await query(rows.insertOld(8_000));
      await query(`DELETE FROM ${table}`);
      await query(`ANALYZE ${table}`);
      await insertAll(query, rows);
    },
  ],
  [
    'statistics of a few rows',
    async (query, table, rows) => {
      await query(rows.insertOld(4));
      await query(`ANALYZE ${table}`);
      await query(`DELETE FROM ${table}`);
      await insertAll(query, rows);
    },
  ],
  [
    'statistics of all rows',
    async (query, table, rows) => {
      await insertAll(query, rows);
      await query(`ANALYZE ${table}`);
    },
  ],
];

/** States of the run: the two whose statistics differ most, or all in a long run. */
export const statisticsStates = selectCases(
  allStatisticsStates,
  ([name]) => name === 'statistics of an empty table with many pages' || name === 'statistics of all rows',
);

async function insertAll(
  query: (sql: string) => Promise<unknown>,
  { insertAll: statements }: TableRows,
): Promise<void> {
  for (const statement of statements) await query(statement);
}
