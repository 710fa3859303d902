import type pg from 'pg';
import { openMigrationConnection } from './migrations/connect-for-migrations.js';

/**
 * Error for a DATABASE_URL that points to an unsupported connection pooler. The message describes what the operator can
 * do.
 */
export class UnsupportedPoolerError extends Error {
  constructor() {
    super(
      'The database is behind a pooler that loses prepared statements. Set its pool mode to session, or use PgBouncer ' +
        '1.21 or later with max_prepared_statements above 0.',
    );
    this.name = 'UnsupportedPoolerError';
  }
}

const undefinedDatabaseSqlState = '3D000';

/**
 * SQLSTATEs of an unknown prepared statement, and of a prepared statement whose name another client has already used on
 * the same server connection.
 */
const lostPreparedStatementSqlStates = new Set(['26000', '42P05']);

function getErrorCode(error: unknown): string {
  return error instanceof Error ? String(Reflect.get(error, 'code')) : '';
}

/**
 * Connects once to the PostgreSQL server of `url`. The database itself need not exist.
 *
 * @param timeoutMs time limit in milliseconds. Default 10,000
 * @throws Error of pg or of the socket
 */
export async function checkDatabaseConnection(url: string, timeoutMs?: number): Promise<void> {
  try {
    await (await openMigrationConnection(url, timeoutMs)).end();
  } catch (error) {
    if (getErrorCode(error) !== undefinedDatabaseSqlState) throw error;
  }
}

const testPreparedStatement = { name: 'switchboard_probe', text: 'SELECT $1::int AS one', values: [1] };

/**
 * Checks that a prepared statement can be used again on the connection that prepared it. A pooler that assigns another
 * server connection to each transaction loses prepared statements, unless the pooler supports prepared statements.
 *
 * @throws UnsupportedPoolerError if the pooler loses prepared statements
 */
export async function requirePreparedStatementSupport(url: string): Promise<void> {
  const clients: pg.Client[] = [];
  try {
    const first = await openMigrationConnection(url);
    clients.push(first);
    await first.query(testPreparedStatement);
    const second = await openMigrationConnection(url);
    clients.push(second);
    // This transaction occupies the server connection that the pooler has used for `first`.
    await second.query('BEGIN');
    await second.query(testPreparedStatement);
    await first.query(testPreparedStatement);
    await second.query('ROLLBACK');
  } catch (error) {
    throw lostPreparedStatementSqlStates.has(getErrorCode(error)) ? new UnsupportedPoolerError() : error;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}
