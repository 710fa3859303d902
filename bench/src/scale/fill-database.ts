import pg from 'pg';
import type { GeneratedDatabaseContent, ServiceWithGeneratedDatabase, DatabaseSizeName } from './scale-app.js';
import { copyRowsIntoTable } from './copy-rows.js';
import { dropIndexesAndConstraints } from './deferred-definitions.js';
import { DatabaseFillProgress } from './fill-progress.js';

/**
 * SQL settings of the session that fills a database. The session has more memory for index builds, and its commits do
 * not wait for the disk.
 */
const fillSessionSettingsSql = `
  SET maintenance_work_mem = '768MB';
  SET max_parallel_maintenance_workers = 2;
  SET synchronous_commit = off;
  SET statement_timeout = 0`;

/**
 * Fills a migrated database, or continues an interrupted fill: each table, index and foreign key is a separate step.
 * Tables of millions of rows are filled without keys and indexes. The keys and indexes are created afterwards with the
 * same definitions as in the migrations.
 */
export async function fillDatabase(
  url: string,
  app: ServiceWithGeneratedDatabase,
  size: DatabaseSizeName,
  log: (line: string) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(fillSessionSettingsSql);
    const state = await DatabaseFillProgress.readFillProgress(client);
    if (state.isStepDone('vacuum')) return;
    const filling = await app.fill(client, size);
    await fillDatabaseTables(client, state, filling, log);
    for (const { name, statement } of await state.readDeferredDefinitions()) {
      await state.runStepOnce(name, log, async () => {
        await client.query(statement);
      });
    }
    for (const [at, statement] of filling.completion.entries()) {
      await state.runStepOnce(`completion ${at + 1}`, log, async () => {
        await client.query(statement);
      });
    }
    const started = performance.now();
    await client.query('VACUUM (ANALYZE)');
    await state.recordStep('vacuum');
    log(`  vacuum: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } finally {
    await client.end();
  }
}

async function fillDatabaseTables(
  client: pg.Client,
  state: DatabaseFillProgress,
  { tables }: GeneratedDatabaseContent,
  log: (line: string) => void,
): Promise<void> {
  await state.runStepOnce('definitions dropped', log, async () => {
    const bulk = tables.filter((table) => table.bulk === true).map(({ table }) => table);
    await state.storeDeferredDefinitions(await dropIndexesAndConstraints(client, [...new Set(bulk)]));
  });
  for (const [at, { table, columns, bulk, withoutTriggers, rows }] of tables.entries()) {
    await state.runStepOnce(`rows ${at + 1}, ${table}`, log, async () => {
      if (withoutTriggers === true) await client.query('SET LOCAL session_replication_role = replica');
      if (bulk === true) await client.query(`TRUNCATE "${table}"`);
      await copyRowsIntoTable(client, { table, columns, options: bulk === true ? 'FREEZE' : '' }, rows());
    });
  }
}
