import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Account } from './account.js';

/** Folder of root's services and programs when their account cannot reach the repository. */
export const systemFolder = process.platform === 'darwin' ? '/var/db/switchboard' : '/var/lib/switchboard';

/**
 * Whether `account` can use a path, asked of the system itself: modes, groups, access lists and mounts all count.
 * @param check what is asked: to enter a folder, or to run a file
 */
export function canReach(account: Account, path: string, check: 'enter' | 'run'): boolean {
  const script = check === 'enter' ? 'cd -- "$1"' : 'test -x "$1"';
  // The working directory is given because ours may itself be out of the account's reach.
  const result = spawnSync('/bin/sh', ['-c', script, 'sh', path], { ...account, cwd: '/', stdio: 'ignore' });
  return result.status === 0;
}

/** Creates a folder that everyone may pass through, whatever the umask. Existing folders keep their mode. */
export function makeOpenFolder(path: string): void {
  if (existsSync(path)) return;
  makeOpenFolder(dirname(path));
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
}

/**
 * The folder for the servers' files: the data folder itself, or, for root with a data folder below one
 * that the database account may not pass, a folder under /var/lib/switchboard named after it.
 * @param dataFolder an absolute path; created when missing
 * @param base replaces /var/lib/switchboard (tests)
 */
export function chooseServiceFolder(dataFolder: string, account: Account | null, base = systemFolder): string {
  makeOpenFolder(dataFolder);
  if (account === null) return dataFolder;
  const elsewhere = elsewhereFolder(dataFolder, base);
  // Once data lies there it stays there, also when the parents are opened later.
  if (!existsSync(join(elsewhere, 'postgres')) && canReach(account, dataFolder, 'enter')) return dataFolder;
  makeOpenFolder(elsewhere);
  return elsewhere;
}

/** The folder outside of the repository that belongs to a data folder. It need not exist. */
export function elsewhereFolder(dataFolder: string, base = systemFolder): string {
  const path = resolve(dataFolder);
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 12);
  return join(base, `${basename(dirname(path)).replace(/^\.+/, '')}-${digest}`);
}
