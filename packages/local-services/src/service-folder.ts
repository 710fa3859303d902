import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { SystemAccount } from './database-account.js';

/** Folder for data and programs when the services run as root and the database account cannot access the repository. */
export const systemServiceFolder = process.platform === 'darwin' ? '/var/db/switchboard' : '/var/lib/switchboard';

/**
 * Returns true if `account` can access a path. The operating system performs the check, so that file modes, groups,
 * access lists and mounts are all considered.
 *
 * @param check kind of access to check: entering a folder, or running a file
 */
export function canAccountAccess(account: SystemAccount, path: string, check: 'enter' | 'run'): boolean {
  const script = check === 'enter' ? 'cd -- "$1"' : 'test -x "$1"';
  // Sets the working directory, because the account may not be able to access the current one.
  const result = spawnSync('/bin/sh', ['-c', script, 'sh', path], { ...account, cwd: '/', stdio: 'ignore' });
  return result.status === 0;
}

/**
 * Creates a folder that every account of the system can enter, regardless of the umask. The mode of an existing folder
 * is unchanged.
 */
export function createAccessibleFolder(path: string): void {
  if (existsSync(path)) return;
  createAccessibleFolder(dirname(path));
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
}

/**
 * Chooses the folder of the servers' files. Usually, this is the data folder. The other folder,
 * `/var/lib/switchboard/<name>`, is used if the database account cannot enter the data folder (when run as root). It is
 * also used if an earlier start used it.
 * @param dataFolder an absolute path; created if missing
 * @param base replaces /var/lib/switchboard (tests)
 */
export function chooseServiceFolder(
  dataFolder: string,
  account: SystemAccount | null,
  base = systemServiceFolder,
): string {
  createAccessibleFolder(dataFolder);
  if (account === null) return dataFolder;
  const elsewhere = getSystemFolderOfData(dataFolder, base);
  // Existing data stays in its folder, even if the data folder becomes accessible later.
  if (!existsSync(join(elsewhere, 'postgres')) && canAccountAccess(account, dataFolder, 'enter')) return dataFolder;
  createAccessibleFolder(elsewhere);
  return elsewhere;
}

/**
 * Returns the folder outside the repository for the files of the local servers, derived from the path of the data
 * folder. The folder may not exist.
 */
export function getSystemFolderOfData(dataFolder: string, base = systemServiceFolder): string {
  const path = resolve(dataFolder);
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 12);
  return join(base, `${basename(dirname(path)).replace(/^\.+/, '')}-${digest}`);
}
