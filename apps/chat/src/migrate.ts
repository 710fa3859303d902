import { fileURLToPath } from 'node:url';
import { EncryptionKeyMismatchError } from '@switchboard/auth';
import {
  applyMigrations,
  BackupError,
  createDatabase,
  MigrationError,
  type ApplyMigrationsOptions,
  readMigrationStatus,
  UnsupportedPoolerError,
  readIfDatabaseExists,
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
import { applyWebhookMigrations, webhookMigrationStatus } from '@switchboard/webhooks';

/** Oldest supported major version of PostgreSQL: one migration uses the collation `pg_c_utf8`. */
export const minimumPostgresMajorVersion = 17;

/**
 * Path of the folder with the chat service's migrations. The path is valid both for the source code and for the build
 * output.
 */
export const chatMigrationsFolderPath = fileURLToPath(new URL('../../../prisma/chat/migrations', import.meta.url));

/**
 * Migrates a database to the version of this release, including the tables of the queue and webhook packages.
 * Concurrent processes wait for each other. A process that waited finds no migrations to apply.
 *
 * @throws MigrationError or QueueMigrationError, whose messages state the remedy
 */
export async function migrateChatDatabase(
  url: string,
  log: (line: string) => void,
  {
    lockTimeoutMs = 60_000,
    createsDatabase = true,
  }: Pick<ApplyMigrationsOptions, 'lockTimeoutMs' | 'createsDatabase'> = {},
): Promise<void> {
  const options = {
    url,
    folder: chatMigrationsFolderPath,
    log,
    lockTimeoutMs,
    createsDatabase,
    minimumServerVersion: minimumPostgresMajorVersion,
    release: releaseVersions,
  };
  await applyMigrations(options);
  const quiet = { warn: () => {}, error: () => {} };
  const database = createDatabase({
    url,
    max: 1,
    applicationName: 'switchboard-chat-migrate',
    logger: quiet,
    slowQueryMs: 60_000,
  });
  try {
    await applyQueueMigrations(database.pool, { lockTimeoutMs });
    await applyWebhookMigrations(database.pool, { lockTimeoutMs });
  } finally {
    await database.close();
  }
}

/**
 * Reads which migrations of the service, of the queue and of webhooks are applied. Does not change the database.
 *
 * @throws Error of pg for a server that cannot be reached or refuses the role
 */
async function readAppliedChatMigrations(url: string): Promise<ServiceMigrationState> {
  const service = await readMigrationStatus({
    url,
    folder: chatMigrationsFolderPath,
    release: releaseVersions,
    minimumServerVersion: minimumPostgresMajorVersion,
  });
  return readIfDatabaseExists(url, async (database) => {
    const queue = await readQueueMigrationStatus(database);
    const webhooks = await webhookMigrationStatus(database);
    return [
      { set: 'chat', ...service },
      { set: 'queue', ...queue, applied: queue.applied.map(({ name }) => name) },
      { set: 'webhooks', ...webhooks, applied: webhooks.applied.map(({ name }) => name) },
    ];
  });
}

/** Returns an object that migrates the configured database of the chat service and reads the migration state. */
export function createChatSchemaMigrator(config: ServiceSchemaConfig): ServiceSchema {
  return new ServiceSchema(
    { name: 'chat', migrate: migrateChatDatabase, readState: readAppliedChatMigrations },
    config,
  );
}

const startErrorsOperatorCanCorrect = [
  BackupError,
  MigrationError,
  MissingDatabaseError,
  PendingMigrationsError,
  UnsupportedPoolerError,
  QueueMigrationError,
  EncryptionKeyMismatchError,
  ServerUnreachableError,
];

/** Returns true for start errors that the operator can correct with the information in the error message. */
export function canOperatorCorrectStartError(error: unknown): error is Error {
  return startErrorsOperatorCanCorrect.some((fault) => error instanceof fault);
}
