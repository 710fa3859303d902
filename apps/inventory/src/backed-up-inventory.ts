import { readKeyProofs, verifyKeyProofs } from '@switchboard/auth';
import { type BackedUpService, listMigrationNames } from '@switchboard/database';
import { releaseVersions } from '@switchboard/platform';
import { type InventoryConfig, currentProcessEnvironment } from './config.js';
import type { ModelRegistry } from './engine/declaration/model-registry.js';
import { listFileFieldNames } from './engine/uploads/uploaded-file-changes.js';
import { MediaFolder } from './media/media-file-folder.js';
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

/** Returns the description of the service's database and files that the backup commands use. */
export function describeInventoryForBackup(config: InventoryConfig): BackedUpService {
  const keys = createServiceKeyRing(config);
  const media = new MediaFolder(config.MEDIA_ROOT, { warn: () => {} });
  return {
    product: 'inventory',
    release: releaseVersions.version,
    url: config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL,
    schemas: backedUpDatabaseSchemaNames,
    minimumServerVersion: minimumPostgresqlVersion,
    files: {
      keysSql: createSelectFilePathsSql(modelRegistry),
      store: { kind: 'folder', folder: config.MEDIA_ROOT, isPending: (path) => media.isSuspectFile(path) },
    },
    keys: { read: readKeyProofs, verify: (proofs) => verifyKeyProofs(keys, proofs) },
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
