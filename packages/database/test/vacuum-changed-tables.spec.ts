import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, TableVacuumBackoff, vacuumChangedTables } from '../src/index.js';
import { createScratchDatabase, dropScratchDatabase, openWithLog } from './temporary-database.js';

let url: string;
let database: Database;

beforeAll(async () => {
  url = await createScratchDatabase();
  database = openWithLog(url).database;
  // Disabled, because autovacuum would vacuum the tables too.
  for (const table of ['granted', 'changed', 'small', 'locked', 'kept', 'slow'])
    await database.query(`CREATE TABLE ${table} (id int) WITH (autovacuum_enabled = false)`);
});

afterAll(async () => {
  await database.close();
  await dropScratchDatabase(url);
});

interface Figures {
  readonly dead: number;
  readonly vacuums: number;
}

async function figuresOf(table: string): Promise<Figures> {
  const { rows } = await database.query<Figures>(
    'SELECT n_dead_tup::int AS dead, vacuum_count::int AS vacuums FROM pg_stat_user_tables WHERE relname = $1',
    [table],
  );
  return rows[0] ?? { dead: 0, vacuums: 0 };
}

/** Inserts rows, rolls back the transaction, and waits until the server's statistics count the rows as dead. */
async function rollBack(table: string, count: number): Promise<void> {
  const { dead } = await figuresOf(table);
  const work = database.inTransaction(async (tx) => {
    await tx.query(`INSERT INTO ${table} SELECT generate_series(1, ${count})`);
    await tx.query('SELECT pg_stat_force_next_flush()');
    throw new Error('no commit');
  });
  await expect(work).rejects.toThrow('no commit');
  await vi.waitFor(async () => expect((await figuresOf(table)).dead).toBe(dead + count), { timeout: 30_000 });
}

const vacuum = (signal = new AbortController().signal, backoff = new TableVacuumBackoff()): Promise<void> =>
  vacuumChangedTables({ database, url, backoff, applicationName: 'test: vacuum', signal });

describe('vacuumChangedTables', () => {
  it('vacuums a table of another owner if the role has the right MAINTAIN', async () => {
    const role = `vacuum_${randomUUID().slice(0, 8)}`;
    await database.query(`CREATE ROLE ${role}`);
    const roleUrl = new URL(url);
    roleUrl.searchParams.set('options', `-c role=${role}`);
    const other = openWithLog(roleUrl.href).database;
    // The first VACUUM would run as the owner: only the selection of tables can skip the table.
    const options = { database: other, url, backoff: new TableVacuumBackoff(), applicationName: 'test: vacuum' };
    const { signal } = new AbortController();
    try {
      await rollBack('granted', 25_000);
      await vacuumChangedTables({ ...options, signal });
      expect(await figuresOf('granted')).toMatchObject({ vacuums: 0 });
      await database.query(`GRANT MAINTAIN ON granted TO ${role}`);
      await vacuumChangedTables({ ...options, url: roleUrl.href, signal });
      await vi.waitFor(async () => expect(await figuresOf('granted')).toMatchObject({ vacuums: 1 }));
    } finally {
      await other.close();
      await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  it('vacuums a table after a transaction with many rows was rolled back', async () => {
    await rollBack('changed', 25_000);
    await rollBack('small', 1_000);
    await vacuum();
    const { dead, vacuums } = await figuresOf('changed');
    // VACUUM skips the rows of a page that another process is using.
    expect({ areGone: dead < 20_000, vacuums }).toEqual({ areGone: true, vacuums: 1 });
    expect(await figuresOf('small')).toEqual({ dead: 1_000, vacuums: 0 });
    await vacuum();
    expect(await figuresOf('changed')).toMatchObject({ vacuums: 1 });
  });

  it('skips a table that another session has locked', async () => {
    await rollBack('locked', 25_000);
    await database.inTransaction(async (tx) => {
      await tx.query('LOCK TABLE locked IN SHARE UPDATE EXCLUSIVE MODE');
      await vacuum();
    });
    expect(await figuresOf('locked')).toMatchObject({ vacuums: 0 });
    await vacuum();
    expect(await figuresOf('locked')).toMatchObject({ vacuums: 1 });
  });

  it('vacuums a table only once while an open transaction may see its rows', async () => {
    const { vacuums } = await figuresOf('changed');
    await database.query('INSERT INTO changed SELECT generate_series(1, 25000)');
    await database.inTransaction(
      async (tx) => {
        await tx.query('SELECT FROM changed LIMIT 1');
        await database.background('deletion').query('DELETE FROM changed');
        await vi.waitFor(async () => expect((await figuresOf('changed')).dead).toBe(25_000), { timeout: 30_000 });
        await vacuum();
        await vacuum();
      },
      { isolation: 'repeatable read' },
    );
    expect(await figuresOf('changed')).toEqual({ dead: 25_000, vacuums: vacuums + 1 });
  });

  it('waits longer before each further vacuum of a table while its dead rows cannot be removed', async () => {
    await database.query('INSERT INTO kept SELECT generate_series(1, 25000)');
    const [first, second] = [await database.pool.connect(), await database.pool.connect()];
    try {
      const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ';
      const exportSql = 'SELECT pg_export_snapshot() AS id';
      await first.query(begin);
      let snapshot: string = (await first.query(exportSql)).rows[0].id;
      await database.query('DELETE FROM kept');
      await vi.waitFor(async () => expect((await figuresOf('kept')).dead).toBe(25_000), { timeout: 30_000 });
      const backoff = new TableVacuumBackoff();
      const vacuumedBy: number[] = [];
      for (let call = 0; call < 7; call += 1) {
        await vacuum(undefined, backoff);
        vacuumedBy.push((await figuresOf('kept')).vacuums);
        // The next transaction also sees the rows, and begins after the vacuum.
        const [last, next] = call % 2 === 0 ? [first, second] : [second, first];
        await next.query(begin);
        await next.query(`SET TRANSACTION SNAPSHOT '${snapshot}'`);
        snapshot = (await next.query(exportSql)).rows[0].id;
        await last.query('COMMIT');
      }
      expect(vacuumedBy).toEqual([1, 1, 2, 2, 2, 3, 3]);
      expect((await figuresOf('kept')).dead).toBe(25_000);
    } finally {
      first.release(true);
      second.release(true);
    }
  });

  it('cancels the running statement when aborted', async () => {
    await rollBack('slow', 25_000);
    const name = new URL(url).pathname.slice(1);
    // VACUUM waits 0.4 s for each of a table's 100 pages.
    await database.query(`ALTER DATABASE "${name}" SET vacuum_cost_delay = 100`);
    await database.query(`ALTER DATABASE "${name}" SET vacuum_cost_limit = 1`);
    const abort = new AbortController();
    const work = vacuum(abort.signal);
    const running = 'SELECT FROM pg_stat_progress_vacuum WHERE datname = current_database()';
    await vi.waitFor(async () => expect((await database.query(running)).rowCount).toBe(1), { timeout: 30_000 });
    abort.abort();
    await work;
    expect(await figuresOf('slow')).toMatchObject({ vacuums: 0 });
  });
});
