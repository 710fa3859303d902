import type { AppliedMigration } from './migration-history.js';
import { MigrationError } from './migration-error.js';
import {
  compareReleaseVersions,
  type RecordedMigrationsComparison,
  type CurrentAndPreviousRelease,
} from './oldest-compatible-releases.js';
import type { DatabaseMigration } from './read-migrations.js';

/** Returns instructions for the operator to recover from a failed migration with the given name. */
export function getMigrationRecoveryAdvice(name: string): string {
  return (
    'A migration of several statements is one transaction, of which nothing was applied. A fill in batches continues ' +
    'where it stopped. CREATE INDEX CONCURRENTLY may have left an invalid index: drop it. Fix the cause, mark the ' +
    'migration as rolled back with "prisma migrate resolve --rolled-back ' +
    `${name}" or UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${name}' ` +
    'AND finished_at IS NULL, and apply the migrations again.'
  );
}

/**
 * Checks that the running release may use a database with unknown migrations, for which the release has no file. The
 * state of these migrations does not matter. A release that can use the migrated database also works while the
 * migration is being applied, and after the migration has failed.
 */
function requireCompatibleUnknownMigrations(
  { unknown, oldestReleases }: RecordedMigrationsComparison,
  release: CurrentAndPreviousRelease | undefined,
): void {
  const unmarked = unknown.find((name) => release === undefined || !oldestReleases.has(name));
  if (unmarked !== undefined) {
    const version = release === undefined ? '' : ` (${release.version})`;
    throw new MigrationError(
      'missing',
      unmarked,
      `Migration ${unmarked} is applied to this database, but is missing in this release${version}. ` +
        'Run the release that has it, or restore its folder.',
    );
  }
  const [newest] = [...oldestReleases].sort(([, left], [, right]) => compareReleaseVersions(right, left));
  if (release === undefined || newest === undefined || compareReleaseVersions(release.version, newest[1]) >= 0) return;
  const [name, oldest] = newest;
  throw new MigrationError(
    'outdated',
    name,
    `Migration ${name} is applied to this database and needs release ${oldest} or later. This is release ` +
      `${release.version}: run release ${oldest} or later.`,
  );
}

function requireUnchangedAppliedMigration(row: AppliedMigration, file: DatabaseMigration): void {
  const { name } = row;
  if (row.state === 'failed') {
    throw new MigrationError(
      'failed',
      name,
      `Migration ${name} failed; the column logs of _prisma_migrations contains the error. ${getMigrationRecoveryAdvice(name)}`,
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
 * Compares the migration files on disk with the migrations recorded in the database. An interrupted migration is
 * applied again.
 *
 * @param release the running release; without it, each unknown migration is a `missing` one
 * @returns the migrations to apply, in order
 * @throws MigrationError when disk and database do not match
 */
export function determineMigrationsToApply(
  files: readonly DatabaseMigration[],
  recorded: RecordedMigrationsComparison,
  release?: CurrentAndPreviousRelease,
): DatabaseMigration[] {
  requireCompatibleUnknownMigrations(recorded, release);
  const filesByName = new Map(files.map((file) => [file.name, file]));
  const ended = recorded.history.filter(({ state }) => state !== 'interrupted');
  for (const row of ended) {
    const file = filesByName.get(row.name);
    if (file !== undefined) requireUnchangedAppliedMigration(row, file);
  }
  const applied = new Set(ended.map((row) => row.name));
  // Those of later releases do not count: a patch of an earlier release may bring a migration that sorts before them.
  const newest = files.findLast((file) => applied.has(file.name))?.name ?? '';
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
