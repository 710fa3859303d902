// @ts-check
/**
 * `node tools/prisma-drift.mjs [app ...] [--url=<url>] [--root=<folder>]`: does what the migrations build match the
 * Prisma schema? Exits with 0 when it does, 2 with the missing SQL when it does not, 1 when it could not be told.
 */
import { parseArgs } from 'node:util';
import { diffFromMigrations, withShadowServer } from './prisma-diff.mjs';
import { chosenApps } from './prisma-workspace.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string' }, root: { type: 'string' } },
});

/**
 * @param {string} app
 * @param {string} url
 */
async function reportDrift(app, url) {
  const sql = await diffFromMigrations({ app, url, root: values.root });
  if (sql === '') return false;
  console.log(`prisma/${app}: the migrations do not create the schema. Missing SQL:\n\n${sql.trim()}\n`);
  console.log(`Write it to a migration with: node tools/prisma-migration.mjs ${app} <name>\n`);
  return true;
}

try {
  const chosen = chosenApps(positionals);
  const drifted = await withShadowServer(values.url, async (url) => {
    let any = false;
    for (const app of chosen) any = (await reportDrift(app, url)) || any;
    return any;
  });
  process.exit(drifted ? 2 : 0);
} catch (error) {
  console.error(`Schema drift could not be checked: ${error.message}`);
  process.exit(1);
}
