import { readEncryptionKeyProofs, verifyEncryptionKeysMatchProofs } from '@switchboard/auth';
import { DatabaseInspection, readIfDatabaseExists } from '@switchboard/database';
import {
  createBucketCheck,
  createDatabaseChecks,
  createFolderCheck,
  createKeyCheck,
  createMigrationCheck,
  createRedisChecks,
  type InstallationCheck,
  type ServiceSchema,
  systemClock,
} from '@switchboard/platform';
import { inspectRedis } from '@switchboard/queue';
import { openConfiguredS3Bucket } from '@switchboard/s3';
import { backedUpDatabaseSchemaNames } from './inventory-backup-source.js';
import type { InventoryConfig } from './config.js';
import { incompleteFilesFolder, suspectFilesFolder } from './media/media-file-folder.js';
import { minimumPostgresqlVersion } from './migrate.js';
import { createServiceKeyRing } from './secrets/encryption-key-ring.js';

/** Extensions that the migrations create. */
const requiredExtensions = ['btree_gist', 'pg_trgm'];

/** Time limit for one connection to Redis, in milliseconds. */
const redisTimeoutMs = 5_000;

/** Returns the checks of an installation of inventory, for the admin command `check`. */
export function createInventoryChecks(
  config: InventoryConfig,
  schema: Pick<ServiceSchema, 'requireMigrations'>,
): InstallationCheck[] {
  return [
    ...createDatabaseChecks({
      database: new DatabaseInspection(config.DATABASE_URL),
      migrationDatabase: new DatabaseInspection(config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL),
      minimumServerVersion: minimumPostgresqlVersion,
      schemas: backedUpDatabaseSchemaNames,
      extensions: requiredExtensions,
      config,
    }),
    createMigrationCheck(schema),
    createKeyCheck(() => verifyKeys(config)),
    ...createRedisChecks(() =>
      inspectRedis(config.REDIS_URL, { prefix: config.REDIS_KEY_PREFIX, timeoutMs: redisTimeoutMs }),
    ),
    createPictureCheck(config),
    createFolderCheck({ name: 'responses', folder: config.RESPONSE_FOLDER }),
  ];
}

function createPictureCheck(config: InventoryConfig): InstallationCheck {
  const bucket = openConfiguredS3Bucket(config, () => systemClock.now());
  if (bucket !== null) return createBucketCheck(config.S3_BUCKET ?? '', bucket);
  const subfolders = [incompleteFilesFolder, suspectFilesFolder];
  return createFolderCheck({ folder: config.MEDIA_ROOT, subfolders, createsHardLinks: true });
}

/** Verifies the configured keys by the proofs in the database. Returns the number of proofs. */
async function verifyKeys(config: InventoryConfig): Promise<number> {
  const proofs = await readIfDatabaseExists(config.DATABASE_URL, readEncryptionKeyProofs);
  verifyEncryptionKeysMatchProofs(createServiceKeyRing(config), proofs);
  return proofs.length;
}
