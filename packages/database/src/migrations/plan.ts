import type { AppliedMigration } from './history.js';
import { MigrationError } from './migration-error.js';
import type { Migration } from './read-migrations.js';

/** Returns instructions for recovering from a failed migration. */
export function recoveryAdvice(name: string): string {
  return (
    'A migration of several statements is one transaction, of which nothing was applied. A fill in batches continues ' +
    'where it stopped. CREATE INDEX CONCURRENTLY may have left an invalid index: drop it. Fix the cause, mark the ' +
    'migration as rolled back with "prisma migrate resolve --rolled-back ' +
    `${name}" or UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${name}' ` +
    'AND finished_at IS NULL, and restart the service.'
  );
}

function checkAppliedMigration(row: AppliedMigration, file: Migration | undefined): void {
  const { name } = row;
  if (row.state === 'failed') {
    throw new MigrationError(
      'failed',
      name,
      `Migration ${name} failed; the column logs of _prisma_migrations contains the error. ${recoveryAdvice(name)}`,
    );
  }
  if (file === undefined) {
    throw new MigrationError(
      'missing',
      name,
      `Migration ${name} is applied to this database, but is missing in this release. ` +
        'Run the release that has it, or restore its folder.',
    );
  }
  if (file.checksum !== row.checksum) {
    throw new MigrationError(
      'edited',
      name,
      `Migration ${name} was edited after it was applied. Restore its file and put the change into a new migration.`,
    );
  }
}

/**
 * Compares the migrations on disk with those applied to the database. An interrupted migration is applied again.
 *
 * @returns the migrations to apply, in order
 * @throws MigrationError when disk and database do not match
 */
export function planMigrations(files: readonly Migration[], history: readonly AppliedMigration[]): Migration[] {
  const filesByName = new Map(files.map((file) => [file.name, file]));
  const ended = history.filter(({ state }) => state !== 'interrupted');
  for (const row of ended) checkAppliedMigration(row, filesByName.get(row.name));
  const applied = new Set(ended.map((row) => row.name));
  const newest = [...applied].sort().at(-1) ?? '';
  const pending = files.filter((file) => !applied.has(file.name));
  const late = pending.find((file) => file.name < newest);
  if (late) {
    throw new MigrationError(
      'out_of_order',
      late.name,
      `Migration ${late.name} is new and sorts before ${newest}, which is applied already. ` +
        'Rename its folder with a later time.',
    );
  }
  return pending;
}
