import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { analyzeChangedTables, type Database } from '../src/index.js';
import { createScratchDatabase, dropScratchDatabase, openWithLog } from './temporary-database.js';

let url: string;
let database: Database;

beforeAll(async () => {
  url = await createScratchDatabase();
  database = openWithLog(url).database;
  // Disabled, because autovacuum would analyze the tables too.
  for (const table of ['filled', 'locked', 'small', 'failing'])
    await database.query(`CREATE TABLE ${table} (id int) WITH (autovacuum_enabled = false)`);
});

afterAll(async () => {
  await database.close();
  await dropScratchDatabase(url);
});

/** Inserts rows into a table, and waits until the inserted rows are counted in the server's statistics. */
async function fill(table: string, rows: number): Promise<void> {
  const counted = (await changesOf(table)) + rows;
  await database.inTransaction(async (tx) => {
    await tx.query(`INSERT INTO ${table} SELECT generate_series(1, ${rows})`);
    await tx.query('SELECT pg_stat_force_next_flush()');
  });
  await vi.waitFor(async () => expect(await changesOf(table)).toBe(counted), { timeout: 30_000 });
}

async function changesOf(table: string): Promise<number> {
  const { rows } = await database.query<{ changes: number }>(
    'SELECT n_mod_since_analyze AS changes FROM pg_stat_user_tables WHERE relname = $1',
    [table],
  );
  return rows[0]?.changes ?? 0;
}

async function analysesOf(table: string): Promise<number> {
  const { rows } = await database.query<{ analyses: number }>(
    'SELECT analyze_count AS analyses FROM pg_stat_user_tables WHERE relname = $1',
    [table],
  );
  return rows[0]?.analyses ?? 0;
}

describe('analyzeChangedTables', () => {
  it('runs ANALYZE once for a table after many of its rows have changed', async () => {
    await Promise.all([fill('filled', 25_000), fill('small', 1_000)]);
    await analyzeChangedTables(database);
    await analyzeChangedTables(database);
    expect(await analysesOf('filled')).toBe(1);
    expect(await analysesOf('small')).toBe(0);
    await fill('filled', 25_000);
    await analyzeChangedTables(database);
    expect(await analysesOf('filled')).toBe(2);
  });

  it('skips a table that another session has locked', async () => {
    await fill('locked', 25_000);
    await database.inTransaction(async (tx) => {
      await tx.query('LOCK TABLE locked IN SHARE UPDATE EXCLUSIVE MODE');
      await analyzeChangedTables(database);
    });
    expect(await analysesOf('locked')).toBe(0);
    await analyzeChangedTables(database);
    expect(await analysesOf('locked')).toBe(1);
  });

  it('continues with other tables when the analysis of one table fails', async () => {
    const indexed = (body: string) =>
      `CREATE OR REPLACE FUNCTION indexed(id int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN ${body}; END $$`;
    await database.query(indexed('RETURN id'));
    await database.query('CREATE INDEX ON failing (indexed(id))');
    await Promise.all([fill('failing', 30_000), fill('filled', 25_000)]);
    const analyses = await analysesOf('filled');
    await database.query(indexed("RAISE 'not today'"));
    await expect(analyzeChangedTables(database)).rejects.toThrow('not today');
    await database.query('DROP TABLE failing');
    expect(await analysesOf('filled')).toBe(analyses + 1);
  });

  it('stops between two tables when aborted', async () => {
    await fill('filled', 25_000);
    const analyses = await analysesOf('filled');
    await analyzeChangedTables(database, AbortSignal.abort());
    expect(await analysesOf('filled')).toBe(analyses);
  });
});
