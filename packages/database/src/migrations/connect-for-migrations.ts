import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { MigrationError } from './migration-error.js';

const missingDatabaseSqlState = '3D000';
/**
 * SQLSTATEs of CREATE DATABASE if another process has already created the database. The first occurs if the database
 * exists when the server checks for it. The second occurs if two processes create the database at the same moment.
 */
const databaseAlreadyExistsSqlStates = new Set(['42P04', '23505']);
/** SQLSTATE of the error of CREATE DATABASE if the template database is in use. */
const objectInUseSqlState = '55006';
const maxCreateDatabaseAttempts = 50;

function getSqlState(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}

/**
 * SQL statement that removes all time limits for the current transaction. The limits may come from settings of the
 * role, the database or the URL.
 */
export const removeTimeLimitsSql = `SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN
  ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`;

/**
 * Time limit for one connection attempt, in milliseconds. A server that accepts connections but does not respond must
 * not block the start of the service.
 */
const MIGRATION_CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens a connection for migrations.
 *
 * @throws Error "timeout expired" of pg when the server does not respond within `timeoutMs` milliseconds
 */
export function openMigrationConnection(url: string, timeoutMs?: number): Promise<pg.Client> {
  return openUnpooledConnection(url, 'switchboard migrations', timeoutMs);
}

/** Opens a database connection outside the pool and without the pool's time limits, for work other than migrations. */
export async function openUnpooledConnection(
  url: string,
  applicationName: string,
  timeoutMs = MIGRATION_CONNECT_TIMEOUT_MS,
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    keepAlive: true,
    connectionTimeoutMillis: timeoutMs,
  });
  // A lost connection rejects the running query. The event must have a listener, because it would end the process
  // otherwise.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/**
 * Checks the version of the PostgreSQL server.
 *
 * @throws MigrationError (`server`) when it is older than the major version `minimum`
 */
export async function requireMinimumServerVersion(client: pg.Client, minimum: number | undefined): Promise<void> {
  if (minimum === undefined) return;
  const { rows } = await client.query<{ version: string; major: number }>(
    `SELECT current_setting('server_version') AS version,
       current_setting('server_version_num')::int / 10000 AS major`,
  );
  const [server] = rows;
  if (server === undefined || server.major >= minimum) return;
  const message = `PostgreSQL ${server.version} is too old: PostgreSQL ${minimum} or later is needed. Nothing was changed.`;
  throw new MigrationError('server', '', message);
}

function getDatabaseName(url: string): string {
  return new pg.Client({ connectionString: url }).database ?? '';
}

async function createMissingDatabase(url: string, minimumServerVersion: number | undefined): Promise<void> {
  const name = getDatabaseName(url);
  // The class URL refuses URLs of Unix sockets, which have no host.
  const client = await openMigrationConnection(url.replace(/^(\w+:\/\/[^/?]*\/)[^?]*/, '$1postgres'));
  try {
    await requireMinimumServerVersion(client, minimumServerVersion);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
        return;
      } catch (error) {
        const code = getSqlState(error);
        if (typeof code === 'string' && databaseAlreadyExistsSqlStates.has(code)) return;
        if (code !== objectInUseSqlState || attempt >= maxCreateDatabaseAttempts) throw error;
      }
      await delay(100);
    }
  } finally {
    await client.end();
  }
}

/**
 * Opens a connection to a database, outside the pool. The caller closes it. Returns undefined if the database does not
 * exist.
 *
 * @throws Error of pg or of the socket for a server that cannot be reached or refuses the role
 */
export async function connectIfDatabaseExists(url: string): Promise<pg.Client | undefined> {
  try {
    return await openMigrationConnection(url);
  } catch (error) {
    if (getSqlState(error) === missingDatabaseSqlState) return undefined;
    throw error;
  }
}

/** Database connection outside the pool that runs read statements. */
export interface UnpooledReadConnection {
  query<R>(sql: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/** Connection object for a database that does not exist. Each query returns no rows. */
const missingDatabaseConnection: UnpooledReadConnection = { query: async () => ({ rows: [] }) };

/**
 * Runs `read` with a database connection outside the pool, and returns its result. If the database does not exist, each
 * statement returns no rows.
 *
 * @throws Error of pg or of the socket for a server that cannot be reached or refuses the role
 */
export async function readIfDatabaseExists<T>(
  url: string,
  read: (database: UnpooledReadConnection) => Promise<T>,
): Promise<T> {
  const client = await connectIfDatabaseExists(url);
  try {
    return await read(client ?? missingDatabaseConnection);
  } finally {
    await client?.end();
  }
}

interface MigrationConnectOptions {
  readonly log: (line: string) => void;
  readonly minimumServerVersion: number | undefined;
  /** True if a database that does not exist is created. */
  readonly createsDatabase: boolean;
}

/**
 * Opens a connection to a database. With `createsDatabase`, creates the database if it does not exist.
 *
 * @throws MigrationError (`absent`) when the database does not exist and must not be created
 * @throws MigrationError (`server`) when the database does not exist and the server is too old to create it
 */
export async function connectOrCreateDatabase(
  url: string,
  { log, minimumServerVersion, createsDatabase }: MigrationConnectOptions,
): Promise<pg.Client> {
  const client = await connectIfDatabaseExists(url);
  if (client) return client;
  if (!createsDatabase) {
    throw new MigrationError(
      'absent',
      '',
      `The database ${getDatabaseName(url)} does not exist, and must not be created. Check its URL.`,
    );
  }
  log('Creating the database');
  await createMissingDatabase(url, minimumServerVersion);
  return openMigrationConnection(url);
}
