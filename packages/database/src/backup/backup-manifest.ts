import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3BucketWithName, BackedUpEncryptionKeyProof } from './backed-up-service.js';
import { BackupError } from './backup-error.js';
import { type FileSizeAndHash, isMissingFileError, flushFolderEntries } from './file-operations.js';

/** Names of the files and folders in the folder of a backup. */
export const backupFileNames = {
  manifest: 'manifest.json',
  database: 'database.dump',
  /**
   * Name of the file that lists all files in a backup with their sizes and SHA-256 hashes, one JSON object per line.
   */
  fileList: 'files.jsonl',
  files: 'files',
} as const;

/** Version of the backup format that this release writes. */
const backupFormatVersion = 1;

/** A part of a backup: the file name with the size and SHA-256 hash of the file. */
export interface BackupFileSizeAndHash extends FileSizeAndHash {
  readonly name: string;
}

/**
 * Description of a backup. The file with this description (manifest) is written last. A folder without the manifest is
 * not a valid backup.
 */
export interface BackupManifest {
  readonly format: number;
  /** Name of the backed-up service, such as `chat`. */
  readonly product: string;
  /** Version of the service release that made the backup. */
  readonly release: string;
  /** Name of the newest migration that was applied to the service's database when the backup was made. */
  readonly newestMigration: string;
  /** Time of the database snapshot in the backup, in ISO 8601 format. */
  readonly createdAt: string;
  /** Version of the PostgreSQL server from which the backup was made. */
  readonly server: string;
  /** Version of the program pg_dump that made the database dump. */
  readonly pgDump: string;
  readonly parts: readonly BackupFileSizeAndHash[];
  /**
   * Number of the copied files, their total size in bytes, and the number of files that no longer existed when the
   * backup copied them.
   */
  readonly files: { readonly count: number; readonly bytes: number; readonly missing: number };
  /** S3 buckets that contain files of the service. The files in the buckets are not part of the backup. */
  readonly buckets: readonly S3BucketWithName[];
  readonly keys: readonly BackedUpEncryptionKeyProof[];
}

/**
 * An entry in a backup's list of files. The entry is either a copied file with its size and hash, or a file that was
 * missing.
 */
export type BackupFileListEntry =
  | ({ readonly key: string } & FileSizeAndHash)
  | { readonly key: string; readonly missing: true };

/**
 * Writes the manifest, which completes a backup. After a power failure, the manifest exists completely or not at all.
 */
export async function writeBackupManifest(folder: string, manifest: Omit<BackupManifest, 'format'>): Promise<void> {
  const partial = join(folder, `.${backupFileNames.manifest}.partial`);
  const file = await open(partial, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ format: backupFormatVersion, ...manifest }, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, join(folder, backupFileNames.manifest));
  await flushFolderEntries(folder);
}

/**
 * Reads the manifest of a backup.
 *
 * @throws BackupError if the folder has no manifest, or a manifest that this release cannot read
 */
export async function readBackupManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, backupFileNames.manifest);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (!isMissingFileError(error)) throw error;
    throw new BackupError(`${folder} is no backup: it has no ${backupFileNames.manifest}, which a backup gets last.`);
  });
  const manifest = parseJsonOrNull(text);
  if (isNonNullObject(manifest) && typeof manifest['format'] === 'number' && manifest['format'] > backupFormatVersion) {
    throw new BackupError(`${path} has the format ${manifest['format']}, which only a later release can read.`);
  }
  if (!isBackupManifest(manifest)) throw new BackupError(`${path} is not the manifest of a backup, or is damaged.`);
  return manifest;
}

/**
 * Checks that a value is an entry in a backup's list of files, and returns this entry. @throws BackupError for any
 * other value
 */
export function parseBackupFileListEntry(value: unknown): BackupFileListEntry {
  if (isNonNullObject(value) && typeof value['key'] === 'string') {
    if (value['missing'] === true) return { key: value['key'], missing: true };
    if (isFileSizeAndHash(value)) return { key: value['key'], bytes: value.bytes, sha256: value.sha256 };
  }
  throw new BackupError(`${backupFileNames.fileList} of the backup has a line that is not of a file.`);
}

function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isNonNullObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasStringProperties(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  return isNonNullObject(value) && names.every((name) => typeof value[name] === 'string');
}

function isListWithStringProperties(value: unknown, names: readonly string[]): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.every((element) => hasStringProperties(element, names));
}

function isFileSizeAndHash(value: Record<string, unknown>): value is Record<string, unknown> & FileSizeAndHash {
  return Number.isSafeInteger(value['bytes']) && /^[0-9a-f]{64}$/.test(String(value['sha256']));
}

function isBackupManifest(value: unknown): value is BackupManifest {
  const texts = ['product', 'release', 'newestMigration', 'createdAt', 'server', 'pgDump'];
  if (!hasStringProperties(value, texts) || value['format'] !== backupFormatVersion) return false;
  const { parts, files, buckets, keys } = value;
  const names =
    isListWithStringProperties(parts, ['name', 'sha256']) && parts.every(isFileSizeAndHash)
      ? parts.map(({ name }) => name)
      : [];
  return (
    [backupFileNames.database, backupFileNames.fileList].every((name) => names.includes(name)) &&
    names.length === 2 &&
    isNonNullObject(files) &&
    ['count', 'bytes', 'missing'].every((name) => Number.isSafeInteger(files[name])) &&
    isListWithStringProperties(buckets, ['endpoint', 'bucket']) &&
    isListWithStringProperties(keys, ['kind', 'id', 'proof'])
  );
}
