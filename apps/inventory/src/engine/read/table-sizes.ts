import type { Database } from '@switchboard/database';

/**
 * Estimated number of rows from which a table counts as large. Reading all rows of a smaller table takes no longer than
 * planning a query.
 */
const LARGE_TABLE_ROWS = 20_000;

/** Maximum age of the estimated table sizes in milliseconds. */
const TABLE_SIZES_MAX_AGE_MS = 300_000;

/**
 * Finds out which database tables are large, from PostgreSQL's estimates of table sizes. The estimates are read at most
 * once every five minutes.
 */
export class LargeTableDetector {
  #large: Promise<ReadonlySet<string>> | undefined;
  #readAtMs = 0;

  /** Returns true if a table was large according to the most recently read estimates of table sizes. */
  async isLargeTable(database: Pick<Database, 'query'>, table: string): Promise<boolean> {
    const now = performance.now();
    if (this.#large === undefined || now - this.#readAtMs > TABLE_SIZES_MAX_AGE_MS) {
      this.#readAtMs = now;
      this.#large = listLargeTables(database);
      // After a failure, the next call reads the estimates again.
      this.#large.catch(() => (this.#large = undefined));
    }
    return (await this.#large).has(table);
  }
}

async function listLargeTables(database: Pick<Database, 'query'>): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind = 'r' AND reltuples >= $1`,
    [LARGE_TABLE_ROWS],
  );
  return new Set(rows.map(({ name }) => name));
}
