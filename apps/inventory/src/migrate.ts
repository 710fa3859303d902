import { fileURLToPath } from 'node:url';
import { EncryptionKeyMismatchError } from '@switchboard/auth';
import {
  applyMigrations,
  BackupError,
  MigrationError,
  type ApplyMigrationsOptions,
  readMigrationStatus,
  UnsupportedPoolerError,
  readIfDatabaseExists,
  requirePreparedStatementSupport,
} from '@switchboard/database';
import {
  MissingDatabaseError,
  PendingMigrationsError,
  releaseVersions,
  type ServiceSchemaConfig,
  type ServiceMigrationState,
  ServiceSchema,
  ServerUnreachableError,
} from '@switchboard/platform';
import { applyQueueMigrations, QueueMigrationError, readQueueMigrationStatus } from '@switchboard/queue';
import pg from 'pg';

/** Path of the folder with the plain SQL migrations of the database, in the layout of Prisma. */
export const migrationsFolder = fileURLToPath(new URL('../../../prisma/inventory/migrations', import.meta.url));

/** Oldest supported major version of PostgreSQL. */
export const minimumPostgresqlVersion = 15;

/** Error for a right that the database account lacks. The error message explains how to grant the right. */
export class MissingRightError extends Error {
  override readonly name = 'MissingRightError';
}

/**
 * Checks that the connection retains prepared statements, and that the database account may create temporary tables,
 * which large deletions need.
 *
 * @throws UnsupportedPoolerError or MissingRightError
 */
export async function requireSuitableDatabase(url: string): Promise<void> {
  await requirePreparedStatementSupport(url);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    const { rows } = await pool.query<{ isAllowed: boolean; grant: string }>(
      `SELECT has_database_privilege(current_database(), 'TEMPORARY') AS "isAllowed",
         format('GRANT TEMPORARY ON DATABASE %I TO %I', current_database(), current_user) AS "grant"`,
    );
    const [right] = rows;
    if (right === undefined || right.isAllowed) return;
    throw new MissingRightError(
      `The database role may not create temporary tables, which large deletions need. As the owner of the database, run: ${right.grant}`,
    );
  } finally {
    await pool.end();
  }
}

/**
 * Migrates a database. Safe in concurrent processes.
 *
 * @throws MigrationError or QueueMigrationError, whose messages say what to do
 */
export async function migrateInventoryDatabase(
  url: string,
  log: (line: string) => void,
  {
    lockTimeoutMs = 60_000,
    createsDatabase = true,
  }: Pick<ApplyMigrationsOptions, 'lockTimeoutMs' | 'createsDatabase'> = {},
): Promise<void> {
  const options = {
    url,
    folder: migrationsFolder,
    log,
    lockTimeoutMs,
    createsDatabase,
    minimumServerVersion: minimumPostgresqlVersion,
    release: releaseVersions,
  };
  await applyMigrations(options);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    await applyQueueMigrations(pool, { lockTimeoutMs });
  } finally {
    await pool.end();
  }
}

/**
 * Reads which migrations of the service and of the queue are applied. Changes nothing.
 *
 * @throws Error of pg for a server that cannot be reached or refuses the role
 */
async function readMigrationState(url: string): Promise<ServiceMigrationState> {
  const service = await readMigrationStatus({
    url,
    folder: migrationsFolder,
    release: releaseVersions,
    minimumServerVersion: minimumPostgresqlVersion,
  });
  const queue = await readIfDatabaseExists(url, (database) => readQueueMigrationStatus(database));
  return [
    { set: 'inventory', ...service },
    { set: 'queue', ...queue, applied: queue.applied.map(({ name }) => name) },
  ];
}

/** Returns the migrations of the service and the configured database to which they apply. */
export function getInventoryMigrations(config: ServiceSchemaConfig): ServiceSchema {
  return new ServiceSchema(
    { name: 'inventory', migrate: migrateInventoryDatabase, readState: readMigrationState },
    config,
  );
}

const operatorErrorClasses = [
  MigrationError,
  MissingDatabaseError,
  QueueMigrationError,
  PendingMigrationsError,
  UnsupportedPoolerError,
  MissingRightError,
  EncryptionKeyMismatchError,
  ServerUnreachableError,
  BackupError,
];

/**
 * Returns true for errors at startup that the operator can correct from the error message alone, without a stack trace.
 */
export function isOperatorCorrectableError(error: unknown): error is Error {
  return operatorErrorClasses.some((fault) => error instanceof fault);
}
