import { readEncryptionKeyProofs, verifyEncryptionKeysMatchProofs } from '@switchboard/auth';
import type { BackedUpService } from '@switchboard/database';
import { releaseVersions, systemClock } from '@switchboard/platform';
import { createNewLogEpochsSql } from '@switchboard/queue';
import { processEnvironmentVariables, type ChatServiceConfig } from '../environment.js';
import { createServiceKeys } from '../../infra/key-ring.js';
import { openStoredFiles } from './stored-files.js';

/**
 * Names of the PostgreSQL schemas that a backup includes: those of the service, the queue and webhooks, the change
 * records and the migration records.
 */
export const backedUpDatabaseSchemas = ['public', 'changes', 'queue', 'webhooks', 'switchboard_migrations'];

/**
 * Calls a function with the service's database and stored files, for admin commands that make or restore backups.
 *
 * @param migrations migrations of the service, and the oldest supported version of PostgreSQL
 */
export async function callWithChatBackupSource<T>(
  config: ChatServiceConfig,
  migrations: Pick<BackedUpService, 'schema' | 'listMigrations' | 'minimumServerVersion'>,
  use: (service: BackedUpService) => Promise<T>,
): Promise<T> {
  const keys = createServiceKeys(config);
  const { files, close } = openStoredFiles(config, systemClock);
  try {
    return await use({
      product: 'chat',
      release: releaseVersions.version,
      url: config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL,
      schemas: backedUpDatabaseSchemas,
      ...migrations,
      files,
      keys: { read: readEncryptionKeyProofs, verify: (proofs) => verifyEncryptionKeysMatchProofs(keys, proofs) },
      restoredSql: createNewLogEpochsSql(),
      programs: {
        pgDump: config.PG_DUMP,
        pgRestore: config.PG_RESTORE,
        psql: config.PSQL,
        environment: processEnvironmentVariables,
      },
    });
  } finally {
    await close();
  }
}
