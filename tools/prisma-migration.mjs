// @ts-check
/**
 * `node tools/prisma-migration.mjs <app> <name> [--url=<url>] [--root=<folder>]`: writes a new migration with the
 * difference between an app's migrations and the app's Prisma schema. A developer must review, complete and commit the
 * migration.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createMigrationDifferenceSql, runWithShadowDatabaseServer } from './prisma-diff.mjs';
import {
  parseAppNameArguments,
  readMigrationsOfApp,
  repositoryRoot,
  getPrismaSchemaFolder,
} from './prisma-workspace.mjs';

const migrationCommandUsage = 'Usage: node tools/prisma-migration.mjs <app> <name_in_snake_case> [--url=<url>]';

/**
 * Returns a UTC timestamp of fourteen digits for the name of a new migration. The timestamp is later than the newest
 * migration, because a migration that sorts before an applied migration is rejected.
 * @param {string | undefined} newest
 */
function createMigrationTimestamp(newest) {
  const now = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const least = newest ? String(BigInt(newest.slice(0, 14)) + 1n) : now;
  return now > least ? now : least;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string' }, root: { type: 'string', default: repositoryRoot } },
});

try {
  const [app, name] = positionals;
  if (!app || !name || !/^[a-z0-9_]+$/.test(name)) throw new Error(migrationCommandUsage);
  parseAppNameArguments([app]);
  const sql = await runWithShadowDatabaseServer(values.url, (url) =>
    createMigrationDifferenceSql({ app, url, root: values.root }),
  );
  if (sql === '') {
    console.log(`prisma/${app}: the migrations already create the schema; nothing to write.`);
    process.exit(0);
  }
  const newest = readMigrationsOfApp(app, values.root).at(-1)?.name;
  const folder = join(
    getPrismaSchemaFolder(app, values.root),
    'migrations',
    `${createMigrationTimestamp(newest)}_${name}`,
  );
  mkdirSync(folder);
  writeFileSync(join(folder, 'migration.sql'), sql);
  console.log(`Wrote ${join(folder, 'migration.sql')}. Read it before you commit it.`);
  process.exit(0);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
