import { join, resolve } from 'node:path';
import type { Client } from 'pg';
import {
  connectIfDatabaseExists,
  connectOrCreateDatabase,
  openUnpooledConnection,
  requireMinimumServerVersion,
} from '../migrations/connect-for-migrations.js';
import type { BackedUpService } from './backed-up-service.js';
import { readAppliedMigrations } from '../migrations/migration-history.js';
import { BackupError, getErrorDescription } from './backup-error.js';
import { readPostgresServerVersion } from './dump-database.js';
import { type BackupManifest, backupFileNames, readBackupManifest } from './backup-manifest.js';
import { listPostgresPrograms, readPostgresProgramVersion } from './postgres-programs.js';
import { isEmptyDatabase, requireNoOtherDatabaseClient, restoreDatabase } from './restore-database.js';
import { TemporaryRestoredFiles } from './restore-files.js';
import { requireIntactBackup, requireUsableBackup } from './verify-backup.js';

/** Source of {@link restoreBackup} and the changes that the operator permits. */
export interface RestoreBackupOptions {
  /** Folder of the backup to restore. */
  readonly folder: string;
  /**
   * True if the restore replaces existing tables of the service, and existing files whose content differs from the
   * backup.
   */
  readonly replaces: boolean;
  /** True if the migrations of this release are applied after the restore. */
  readonly migrates: boolean;
  /** Prints a line to the standard output. */
  readonly print: (line: string) => void;
}

/** First major version of pg_restore that writes scripts which older PostgreSQL servers do not accept. */
const firstIncompatibleRestoreVersion = 17;

/**
 * Restores a backup into the configured database and folder of stored files. All checks run before the first change.
 * First, new files are renamed into the folder of stored files. Then one transaction restores all rows. Finally, files
 * replace existing files with other content. After an error before the end of that transaction, the former rows and
 * files remain.
 *
 * @returns true if this release can use the restored database without changes
 * @throws BackupError with a message for the operator
 */
export async function restoreBackup(
  service: BackedUpService,
  { folder: given, replaces, migrates, print }: RestoreBackupOptions,
): Promise<boolean> {
  const folder = resolve(given);
  const manifest = await readBackupManifest(folder);
  await requireUsableBackup(service, manifest);
  const tools = await requireRestorePrograms(service, manifest);
  const existing = await connectIfDatabaseExists(service.url);
  // The sums take long, so that a database in use is refused before they are compared as well as afterwards.
  if (existing !== undefined)
    await runAndCloseDatabaseClient(existing, (client) => requireRestoreTarget(client, service, { replaces, tools }));
  await requireIntactBackup(folder, manifest);
  print(`The backup of ${manifest.createdAt} is intact, and its keys are configured.`);

  const { store } = service.files;
  const staged = store.kind === 'folder' ? new TemporaryRestoredFiles(store.folder) : null;
  try {
    await staged?.copyMissingFiles(folder, replaces);
    const target = await connectOrCreateDatabase(service.url, {
      log: print,
      minimumServerVersion: service.minimumServerVersion,
      createsDatabase: true,
    });
    await runAndCloseDatabaseClient(target, (client) => requireRestoreTarget(client, service, { replaces, tools }));
    await staged?.renameToFinalPaths('new');
    await restoreDatabase(service, { dump: join(folder, backupFileNames.database), replaces });
  } catch (error) {
    await staged?.removeTemporaryFiles();
    throw error;
  }
  if (!(await replaceChangedStoredFiles(staged, print))) return false;
  printRestoreResult(manifest, print);
  await analyzeRestoredDatabase(service, print);
  return migrateOrCheckRestoredSchema(service, { migrates, print });
}

/**
 * Replaces stored files whose content differs from the backup with the copied files. Prints an error instead of
 * throwing it, because the rows are already restored. Returns false after an error.
 */
async function replaceChangedStoredFiles(
  staged: TemporaryRestoredFiles | null,
  print: (line: string) => void,
): Promise<boolean> {
  try {
    await staged?.renameToFinalPaths('replacing');
    await staged?.removeTemporaryFiles();
    return true;
  } catch (error) {
    print(
      `The database was restored, but not all files: ${getErrorDescription(error)}. Repeat the command with --replace.`,
    );
    return false;
  }
}

/**
 * Updates the planner statistics of the restored database. A failure is only printed, because the restore is complete
 * without the statistics.
 */
async function analyzeRestoredDatabase({ url }: BackedUpService, print: (line: string) => void): Promise<void> {
  try {
    const restored = await openUnpooledConnection(url, 'switchboard restore');
    await runAndCloseDatabaseClient(restored, (client) => client.query('SET statement_timeout = 0; ANALYZE'));
  } catch (error) {
    print(`ANALYZE failed, run it before the start: ${getErrorDescription(error)}`);
  }
}

/**
 * Applies the missing migrations, or without `migrates` only checks for them. Prints the reason and returns false if
 * this release cannot use the restored database.
 */
async function migrateOrCheckRestoredSchema(
  { schema }: BackedUpService,
  { migrates, print }: Pick<RestoreBackupOptions, 'migrates' | 'print'>,
): Promise<boolean> {
  try {
    if (migrates) await schema.runMigrateCommand({ isStatus: false, isJson: false, print });
    else await schema.requireMigrations();
    return true;
  } catch (error) {
    print(getErrorDescription(error));
    return false;
  }
}

function printRestoreResult({ files, buckets }: BackupManifest, print: (line: string) => void): void {
  print(`Restored the database and ${files.count} files.`);
  if (files.missing > 0) print(`${files.missing} files were missing when the backup was made: run check-files.`);
  for (const { bucket, endpoint } of buckets) print(`Further files are in the bucket ${bucket} of ${endpoint}.`);
  print('Redis may stay as it is: clients register their event queues again.');
}

async function runAndCloseDatabaseClient(client: Client, work: (client: Client) => Promise<unknown>): Promise<void> {
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Versions that a restore compares: the version of pg_restore, and the version of the server from which the backup was
 * made.
 */
interface RestoreProgramVersions {
  readonly pgRestore: { readonly text: string; readonly major: number };
  readonly backedUp: string;
}

/**
 * Checks that pg_restore can read the dump, and that psql exists. @throws BackupError if a program is missing or too
 * old
 */
async function requireRestorePrograms(
  { programs }: BackedUpService,
  manifest: BackupManifest,
): Promise<RestoreProgramVersions> {
  const { pgRestore: program, psql } = listPostgresPrograms(programs);
  const pgRestore = await readPostgresProgramVersion(program, programs.environment);
  await readPostgresProgramVersion(psql, programs.environment);
  if (pgRestore.major < parseMajorVersionNumber(manifest.pgDump)) {
    throw new BackupError(
      `pg_restore ${pgRestore.text} is older than the pg_dump of the backup, ${manifest.pgDump}. Install the client of ` +
        `PostgreSQL ${parseMajorVersionNumber(manifest.pgDump)}, or set PG_RESTORE to the path of its pg_restore.`,
    );
  }
  return { pgRestore, backedUp: manifest.server };
}

/**
 * Checks the version of the server. Also checks that the target database is not in use. It must be empty, or the
 * restore may replace its tables.
 *
 * @throws BackupError, or MigrationError for a server that is too old for the service
 */
async function requireRestoreTarget(
  client: Client,
  { product, schemas, listMigrations, minimumServerVersion }: BackedUpService,
  { replaces, tools }: { readonly replaces: boolean; readonly tools: RestoreProgramVersions },
): Promise<void> {
  await requireMinimumServerVersion(client, minimumServerVersion);
  const server = await readPostgresServerVersion(client);
  const { pgRestore, backedUp } = tools;
  if (server.major < parseMajorVersionNumber(backedUp)) {
    throw new BackupError(`The backup is of PostgreSQL ${backedUp}. This server is older: PostgreSQL ${server.text}.`);
  }
  if (server.major < firstIncompatibleRestoreVersion && pgRestore.major >= firstIncompatibleRestoreVersion) {
    throw new BackupError(
      `pg_restore ${pgRestore.text} writes statements that PostgreSQL ${server.text} does not know. Set PG_RESTORE to ` +
        `the path of pg_restore ${server.major}.`,
    );
  }
  if (!(await isEmptyDatabase(client, schemas))) {
    if (!replaces) {
      throw new BackupError(
        `The database is not empty. Add --replace to replace the tables of ${product}, or name an empty database.`,
      );
    }
    const [oldest] = await readAppliedMigrations(client);
    const [first] = await listMigrations();
    if (oldest === undefined || oldest.name !== first) {
      throw new BackupError(
        `The database "${client.database ?? ''}" does not contain tables of ${product}. Check the URL: --replace removes what it contains.`,
      );
    }
  }
  await requireNoOtherDatabaseClient(client);
}

function parseMajorVersionNumber(version: string): number {
  return Number.parseInt(version, 10);
}
