import type pg from 'pg';
import type { QueuePool, QueueTx } from '../src/database.js';

/**
 * Setting of PostgreSQL that selects custom plans (for the parameters of a statement) or generic plans (for all
 * parameters).
 */
export type PlanMode = 'force_custom_plan' | 'force_generic_plan';

/** A pool with one database connection, which counts the rows of a table that transactions read. */
export class ReadCounter implements QueuePool {
  /** Number of rows that all transactions have read, including rows that conditions of the statements excluded. */
  rows = 0;
  private rowsAtBegin = 0;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly table: string,
    private readonly mode: PlanMode,
  ) {}

  async query<R>(sql: string, params?: unknown[]): Promise<{ rows: R[] }> {
    const { query } = await this.connect();
    await query('BEGIN');
    const result = await query<R>(sql, params);
    await query('COMMIT');
    return result;
  }

  async connect() {
    const { client } = this;
    const query: QueueTx['query'] = async <R>(sql: string, params?: unknown[]) => {
      if (/\b(COMMIT|ROLLBACK)\b/.test(sql)) this.rows += (await this.rowsRead()) - this.rowsAtBegin;
      const result = await (client as QueueTx).query<R>(sql, params);
      if (sql.startsWith('BEGIN')) {
        await client.query(`SET LOCAL plan_cache_mode = ${this.mode}; SET LOCAL jit = off`);
        this.rowsAtBegin = await this.rowsRead();
      }
      return result;
    };
    return { query, release: () => {} };
  }

  /**
   * Returns the number of rows of the table that this database session has read, including some rows that earlier
   * transactions read.
   */
  private async rowsRead(): Promise<number> {
    const { rows } = await this.client.query<{ n: number }>(
      `SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_user_tables WHERE relid = $1::regclass`,
      [this.table],
    );
    return rows[0]?.n ?? Number.NaN;
  }
}
