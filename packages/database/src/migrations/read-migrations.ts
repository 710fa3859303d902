import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MigrationError } from './migration-error.js';

/** A migration in a folder on disk. */
export interface DatabaseMigration {
  /**
   * Folder name of a migration, `<fourteen digits>_<name>`. The alphabetical order of the names is the order of
   * application.
   */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the migration file's bytes in lower-case hexadecimal, in the form that Prisma stores. */
  readonly checksum: string;
  /**
   * Oldest release that can use the database after the migration, from the line `-- Oldest release: 1.2.0` of the
   * migration file. Undefined if the file has no such line.
   */
  readonly oldestRelease: string | undefined;
}

/**
 * Returns the version in the line `-- Oldest release: 1.2.0` in the SQL text of a migration, or undefined without such
 * a line.
 */
function parseOldestReleaseOfMigration(name: string, sql: string): string | undefined {
  const version = /^-- *oldest release:(.*)$/im.exec(sql)?.[1]?.trim();
  if (version === undefined || /^\d+\.\d+\.\d+$/.test(version)) return version;
  const problem = `Migration ${name} names the oldest release "${version}": write three numbers, such as 1.2.0.`;
  throw new MigrationError('layout', name, problem);
}

async function readMigrationFromFolder(folder: string, name: string): Promise<DatabaseMigration> {
  const bytes = await readFile(join(folder, name, 'migration.sql')).catch((cause: unknown) => {
    const advice = 'Restore the file, or remove the folder if the migration was never applied.';
    throw new MigrationError('layout', name, `Migration ${name} has no readable migration.sql. ${advice}`, { cause });
  });
  const sql = bytes.toString('utf8');
  const checksum = createHash('sha256').update(bytes).digest('hex');
  return { name, sql, checksum, oldestRelease: parseOldestReleaseOfMigration(name, sql) };
}

/**
 * Reads the migrations of a folder in Prisma's layout, in the order of application.
 *
 * @throws MigrationError (`layout`) when the folder is unreadable or for another database product. Also if a migration
 *   file names an oldest release that is not a version
 */
export async function readMigrationsFromFolder(folder: string): Promise<DatabaseMigration[]> {
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
  return Promise.all(names.sort().map((name) => readMigrationFromFolder(folder, name)));
}

/**
 * Returns the names of the migrations of a folder in Prisma's layout, in the order of application.
 *
 * @throws MigrationError as `readMigrations` does
 */
export async function listMigrationNames(folder: string): Promise<string[]> {
  return (await readMigrationsFromFolder(folder)).map(({ name }) => name);
}
