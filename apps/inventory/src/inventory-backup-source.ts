import { readEncryptionKeyProofs, verifyEncryptionKeysMatchProofs } from '@switchboard/auth';
import { type BackedUpService, listMigrationNames, type ServiceFiles } from '@switchboard/database';
import { releaseVersions, systemClock } from '@switchboard/platform';
import { type InventoryConfig, currentProcessEnvironment } from './config.js';
import type { ModelRegistry } from './engine/declaration/model-registry.js';
import { listFileFieldNames } from './engine/uploads/uploaded-file-changes.js';
import type { MediaBucket } from './media/media-bucket.js';
import { MediaFolder } from './media/media-file-folder.js';
import { openMediaFiles } from './media/open-media-files.js';
import { getInventoryMigrations, migrationsFolder, minimumPostgresqlVersion } from './migrate.js';
import { modelRegistry } from './models/index.js';
import { createServiceKeyRing } from './secrets/encryption-key-ring.js';

/**
 * Names of the database schemas that a backup includes: tables of the service, change records, queue tables, and
 * migration records.
 */
export const backedUpDatabaseSchemaNames = ['public', 'changes', 'queue', 'switchboard_migrations'];

/** Returns the SQL query for the paths of all files to which objects refer. */
function createSelectFilePathsSql({ models }: ModelRegistry): string {
  const branches = models.flatMap((model) =>
    listFileFieldNames(model).map(
      (name) => `SELECT "${name}" AS key, true AS is_required FROM ${model.table} WHERE "${name}" <> ''`,
    ),
  );
  return branches.join(' UNION ALL ');
}

/** Calls a function with the service's database and files, for admin commands that make or restore backups. */
export async function callWithInventoryBackupSource<T>(
  config: InventoryConfig,
  use: (service: BackedUpService) => Promise<T>,
): Promise<T> {
  const media = openMediaFiles(config, { clock: systemClock, logger: { warn: () => {} } });
  try {
    return await use(describeInventoryForBackup(config, media));
  } finally {
    await media.close();
  }
}

function describeInventoryForBackup(config: InventoryConfig, media: MediaFolder | MediaBucket): BackedUpService {
  const keys = createServiceKeyRing(config);
  return {
    product: 'inventory',
    release: releaseVersions.version,
    url: config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL,
    schemas: backedUpDatabaseSchemaNames,
    minimumServerVersion: minimumPostgresqlVersion,
    files: { keysSql: createSelectFilePathsSql(modelRegistry), store: describeMediaFiles(config, media) },
    keys: { read: readEncryptionKeyProofs, verify: (proofs) => verifyEncryptionKeysMatchProofs(keys, proofs) },
    programs: {
      pgDump: config.PG_DUMP,
      pgRestore: config.PG_RESTORE,
      psql: config.PSQL,
      environment: currentProcessEnvironment,
    },
    schema: getInventoryMigrations(config),
    listMigrations: () => listMigrationNames(migrationsFolder),
  };
}

function describeMediaFiles(config: InventoryConfig, media: MediaFolder | MediaBucket): ServiceFiles['store'] {
  const isPending = (path: string): Promise<boolean> => media.isSuspectFile(path);
  if (media instanceof MediaFolder) return { kind: 'folder', folder: config.MEDIA_ROOT, isPending };
  const list = (): AsyncGenerator<string> => media.listFiles();
  const exists = (path: string): Promise<boolean> => media.exists(path);
  return { kind: 'bucket', endpoint: config.S3_ENDPOINT, bucket: config.S3_BUCKET ?? '', list, exists, isPending };
}
