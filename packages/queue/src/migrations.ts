import type { QueuePool, QueueTx } from './database.js';
import { DEFAULT_QUEUE_SCHEMA } from './queue-schema.js';
import { release } from './release.js';
import { SchemaMigrations, type QueueMigrationStatus } from './schema-migrations.js';

const queueSchemaMigrations = new SchemaMigrations({
  folder: new URL('../sql/', import.meta.url),
  subject: 'queue',
  defaultSchema: DEFAULT_QUEUE_SCHEMA,
  release,
});

/** Options that select the schema with the tables of a deployment. */
export interface QueueSchemaOptions {
  /**
   * Name of the schema, made of lower-case letters, digits and `_`. The schema must contain only the tables of this
   * package. Default `queue`.
   */
  schema?: string;
}

/** Schema and lock timeout of {@link applyQueueMigrations}. */
export interface QueueMigrationOptions extends QueueSchemaOptions {
  /** Maximum time to wait for another process that migrates the schema, in milliseconds. Default 60,000. */
  lockTimeoutMs?: number;
}

/**
 * Migrates the tables of this package in a schema, which has a separate version table. Files that were not applied yet
 * run in one transaction; a second call has no effect. Many processes may call the function concurrently, even through
 * a connection pooler. If no file is pending, the function takes no lock and needs no right to create objects.
 *
 * @returns the names of the files applied now
 * @throws QueueMigrationError when an applied file was edited later, or is unknown and needs a later version of the
 * package. Also when another session has the migration lock for too long
 * @throws QueueUsageError for a schema name that is no plain identifier
 */
export async function applyQueueMigrations(
  pool: QueuePool,
  options: QueueMigrationOptions = {},
): Promise<{ applied: string[] }> {
  return queueSchemaMigrations.applyPendingMigrations(pool, options);
}

/**
 * Returns the state of the migrations of a schema. Changes nothing and takes no lock. For a schema that does not exist,
 * all files are pending.
 *
 * @throws QueueUsageError for a schema name that is no plain identifier
 */
export async function readQueueMigrationStatus(
  pool: QueueTx,
  { schema }: QueueSchemaOptions = {},
): Promise<QueueMigrationStatus> {
  return queueSchemaMigrations.readMigrationStatus(pool, schema);
}

/**
 * Returns the SQL of all migrations of a schema in order, for the migration tool of a service. The SQL of a file
 * contains several statements and must run in one transaction. The SQL also records the file, so that
 * {@link applyQueueMigrations} and {@link readQueueMigrationStatus} regard the file as applied.
 *
 * @throws QueueUsageError for a schema name that is no plain identifier
 */
export async function listQueueMigrationSql({ schema }: QueueSchemaOptions = {}): Promise<
  { name: string; sql: string }[]
> {
  return queueSchemaMigrations.listMigrationSql(schema);
}

/**
 * Returns the SQL of {@link listQueueMigrationSql} as one text. The text creates the tables in one transaction, for
 * example with `psql`.
 *
 * @throws QueueUsageError for a schema name that is no plain identifier
 */
export async function createQueueMigrationScript({ schema }: QueueSchemaOptions = {}): Promise<string> {
  return queueSchemaMigrations.createMigrationScript(schema);
}
