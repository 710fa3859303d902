import {
  SchemaMigrations,
  type SchemaMigrationOptions,
  type QueueMigrationStatus,
  type QueuePool,
  type QueueTx,
} from '@switchboard/queue';
import { release } from './release.js';
import { defaultWebhookSchemaName } from './webhook-tables.js';

const webhookSchemaMigrations = new SchemaMigrations({
  folder: new URL('../sql/', import.meta.url),
  subject: 'webhook',
  defaultSchema: defaultWebhookSchemaName,
  release,
});

/** Option that selects the schema with the tables of this package. */
export interface WebhookSchemaOptions {
  /**
   * Name of the schema, made of lower-case letters, digits and `_`. The schema must contain only the tables of this
   * package. Default `webhooks`.
   */
  readonly schema?: string;
}

/** Schema and lock timeout of {@link applyWebhookMigrations}. */
export type WebhookMigrationOptions = SchemaMigrationOptions;

/**
 * Migrates the tables of this package in a schema, which has a separate version table. Files that were not applied yet
 * run in one transaction; a second call has no effect. Many processes may call the function concurrently.
 *
 * @returns the names of the files applied now
 * @throws QueueMigrationError when an applied file was edited later, or is unknown and needs a later version of the
 * package. Also when another session has the migration lock for too long
 * @throws QueueUsageError for a schema name that is not a plain identifier
 */
export async function applyWebhookMigrations(
  pool: QueuePool,
  options: WebhookMigrationOptions = {},
): Promise<{ applied: string[] }> {
  return webhookSchemaMigrations.applyPendingMigrations(pool, options);
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
  return webhookSchemaMigrations.readMigrationStatus(pool, schema);
}

/**
 * Returns the SQL of all migrations of a schema in order, for the migration tool of a service. The SQL of a file must
 * run in one transaction, and records the file as applied.
 *
 * @throws QueueUsageError for a schema name that is no plain identifier
 */
export async function webhookMigrationSql({ schema }: WebhookSchemaOptions = {}): Promise<
  { name: string; sql: string }[]
> {
  return webhookSchemaMigrations.listMigrationSql(schema);
}
