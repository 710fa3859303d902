// @ts-check
/**
 * `node tools/prisma-drift.mjs [app ...] [--url=<url>] [--root=<folder>]`: compares the schema that the migrations
 * create with the Prisma schema. Exit code 0 means that the schemas are equal. Exit code 2 means that the schemas
 * differ; the command then prints the missing SQL. Exit code 1 means that the comparison failed.
 */
import { parseArgs } from 'node:util';
import { createMigrationDifferenceSql, runWithShadowDatabaseServer } from './prisma-diff.mjs';
import { parseAppNameArguments } from './prisma-workspace.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string' }, root: { type: 'string' } },
});

/**
 * Prints the SQL that the migrations of an app lack. Returns true if SQL is missing.
 * @param {string} app
 * @param {string} url
 */
async function printMigrationDrift(app, url) {
  const sql = await createMigrationDifferenceSql({ app, url, root: values.root });
  if (sql === '') return false;
  console.log(`prisma/${app}: the migrations do not create the schema. Missing SQL:\n\n${sql.trim()}\n`);
  console.log(`Write it to a migration with: node tools/prisma-migration.mjs ${app} <name>\n`);
  return true;
}

try {
  const chosen = parseAppNameArguments(positionals);
  const drifted = await runWithShadowDatabaseServer(values.url, async (url) => {
    let any = false;
    for (const app of chosen) any = (await printMigrationDrift(app, url)) || any;
    return any;
  });
  process.exit(drifted ? 2 : 0);
} catch (error) {
  console.error(`Schema drift could not be checked: ${error.message}`);
  process.exit(1);
}
