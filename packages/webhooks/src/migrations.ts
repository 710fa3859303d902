import {
  SchemaMigrations,
  type MigrateOptions,
  type QueueMigrationStatus,
  type QueuePool,
  type QueueTx,
} from '@switchboard/queue';
import { release } from './release.js';
import { defaultSchema } from './webhook-tables.js';

const migrations = new SchemaMigrations({
  folder: new URL('../sql/', import.meta.url),
  subject: 'webhook',
  defaultSchema,
  release,
});

/** Schema of the tables of this package. */
export interface WebhookSchemaOptions {
  /**
   * Name of the schema, made of lower-case letters, digits and `_`. It must contain nothing else. Default `webhooks`.
   */
  readonly schema?: string;
}

/** Options of {@link applyWebhookMigrations}. */
export type WebhookMigrationOptions = MigrateOptions;

/**
 * Migrates the tables of this package in a schema, which has a separate version table. Missing files run in one
 * transaction; a second call has no effect. May be called from many processes concurrently.
 *
 * @returns the names of the files applied now
 * @throws QueueMigrationError when an applied file was edited since, is unknown to this version of the package and needs
 * a later one, or another session has the migration lock for too long
 * @throws QueueUsageError for a schema name that is no plain identifier
 */
export async function applyWebhookMigrations(
  pool: QueuePool,
  options: WebhookMigrationOptions = {},
): Promise<{ applied: string[] }> {
  return migrations.apply(pool, options);
}

/**
 * Returns the state of the migrations of a schema. Changes nothing and takes no lock.
 *
 * @throws QueueUsageError for a schema name that is no plain identifier
 */
export async function webhookMigrationStatus(
  pool: QueueTx,
  { schema }: WebhookSchemaOptions = {},
): Promise<QueueMigrationStatus> {
  return migrations.status(pool, schema);
}

/**
 * Returns the SQL of all migrations of a schema in order, for the migration tool of a service. Each file runs in one
 * transaction and records itself as applied.
 *
 * @throws QueueUsageError for a schema name that is no plain identifier
 */
export async function webhookMigrationSql({ schema }: WebhookSchemaOptions = {}): Promise<
  { name: string; sql: string }[]
> {
  return migrations.sql(schema);
}
