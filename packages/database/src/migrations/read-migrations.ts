import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MigrationError } from './migration-error.js';

/** A migration in a folder on disk. */
export interface Migration {
  /** Folder name, `<fourteen digits>_<name>`; names sort in the order of application. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the migration file's bytes in lower-case hexadecimal, as Prisma stores it. */
  readonly checksum: string;
}

async function readMigration(folder: string, name: string): Promise<Migration> {
  const bytes = await readFile(join(folder, name, 'migration.sql')).catch((cause: unknown) => {
    const advice = 'Restore the file, or remove the folder if the migration was never applied.';
    throw new MigrationError('layout', name, `Migration ${name} has no readable migration.sql. ${advice}`, { cause });
  });
  return { name, sql: bytes.toString('utf8'), checksum: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * Reads the migrations of a folder in Prisma's layout, in the order of application.
 *
 * @throws MigrationError (`layout`) when the folder is unreadable or for another database product
 */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const lock = await readFile(join(folder, 'migration_lock.toml'), 'utf8').catch((cause: unknown) => {
    throw new MigrationError('layout', '', `${folder} has no migration_lock.toml: is it a folder of migrations?`, {
      cause,
    });
  });
  if (!/^\s*provider\s*=\s*"postgresql"/m.test(lock)) {
    throw new MigrationError('layout', '', `${folder}/migration_lock.toml is not for provider "postgresql"`);
  }
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(names.sort().map((name) => readMigration(folder, name)));
}
