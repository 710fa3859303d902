import type { QueuePool } from '../database.js';
import { CommandUsageError } from './parse-options.js';

/** Time limit for a connection to PostgreSQL, in milliseconds. */
const CONNECTION_LIMIT_MS = 10_000;

/**
 * Runs `work` with a pool of connections to a database, which is closed afterwards.
 *
 * @throws CommandUsageError without a URL
 * @throws Error if the package `pg` is not installed; of `work`
 */
export async function withDatabase<T>(url: string | null, work: (pool: QueuePool) => Promise<T>): Promise<T> {
  if (url === null) throw new CommandUsageError('Set DATABASE_URL, or give --database-url');
  const pg = await loadDriver();
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: CONNECTION_LIMIT_MS,
    application_name: 'switchboard-queue',
  });
  // A query reports the error of a lost connection.
  pool.on('error', () => {});
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Loads the package `pg`, which is an optional peer dependency. Services may use other PostgreSQL libraries. */
async function loadDriver(): Promise<Pick<typeof import('pg'), 'Pool'>> {
  try {
    return (await import('pg')).default;
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('The command line needs the package pg: install it next to @switchboard/queue', { cause: error });
  }
}
