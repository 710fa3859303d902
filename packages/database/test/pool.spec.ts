import { AsyncLocalStorage } from 'node:async_hooks';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Database, type OpenTx, UnknownCommitOutcomeError } from '../src/index.js';
import { createScratchDatabase, dropScratchDatabase, failureOf, openWithLog } from './temporary-database.js';

let url: string;
const openedDatabases: Database[] = [];

beforeAll(async () => {
  url = await createScratchDatabase();
});

afterEach(async () => {
  await Promise.all(openedDatabases.splice(0).map((database) => database.close()));
});

afterAll(() => dropScratchDatabase(url));

function open(options: Parameters<typeof openWithLog>[1] = {}): ReturnType<typeof openWithLog> {
  const logged = openWithLog(url, options);
  openedDatabases.push(logged.database);
  return logged;
}

async function pidOf(database: Database): Promise<number | undefined> {
  return (await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
}

describe('statement preparation', () => {
  it('prepares only statements that run often, through any interface of the pool', async () => {
    const { database } = open({ max: 1 });
    for (let n = 0; n < 6; n += 1) {
      await database.query('SELECT $1::int AS often', [n]);
      await database.pool.query('SELECT $1::int AS pooled', [n]);
    }
    await database.query('SELECT $1::int AS once', [1]);
    const { rows } = await database.query<{ statement: string }>(
      'SELECT statement FROM pg_prepared_statements ORDER BY statement',
    );
    expect(rows.map(({ statement }) => statement)).toEqual(['SELECT $1::int AS often', 'SELECT $1::int AS pooled']);
  });

  it('does not prepare frequent statements with `planned: each time`', async () => {
    const { database } = open({ max: 1 });
    for (let n = 0; n < 6; n += 1)
      await database.query({ text: 'SELECT $1::int AS planned', planned: 'each time' }, [n]);
    const { rows } = await database.query('SELECT statement FROM pg_prepared_statements');
    expect(rows).toEqual([]);
  });

  it('replaces a connection that has prepared more than a million characters', async () => {
    const { database } = open({ max: 1 });
    const pid = await pidOf(database);
    for (let n = 0; n < 14; n += 1) {
      const text = `SELECT $1::int AS n${n}, '${'x'.repeat(100_000)}' AS filler`;
      for (let use = 0; use < 5; use += 1) expect((await database.query(text, [use])).rowCount).toBe(1);
      const { rows } = await database.query<{ length: number }>(
        'SELECT coalesce(sum(length(statement)), 0)::int AS length FROM pg_prepared_statements',
      );
      expect(rows[0]?.length).toBeLessThan(1_200_000);
    }
    expect(await pidOf(database)).not.toBe(pid);
    await database.inTransaction(async (tx) => {
      await tx.query({ name: 'long', text: `SELECT $1::int, '${'x'.repeat(1_100_000)}'` }, [1]);
      expect((await tx.query('SELECT $1::int AS one', [1])).rows).toEqual([{ one: 1 }]);
    });
  });
});

describe('values of a query result', () => {
  it('have the documented types', async () => {
    const { database } = open();
    const { rows, rowCount } = await database.query(
      `SELECT 9007199254740991::int8 AS big, ARRAY[1, 2]::int8[] AS bigs, 1.10::numeric AS numeric,
              '2026-01-31'::date AS date, '{"a": [1]}'::jsonb AS json, to_timestamp(0) AS moment`,
    );
    expect(rowCount).toBe(1);
    expect(rows).toEqual([
      {
        big: Number.MAX_SAFE_INTEGER,
        bigs: [1, 2],
        numeric: '1.10',
        date: '2026-01-31',
        json: { a: [1] },
        moment: new Date(0),
      },
    ]);
  });

  it('cause an error if a JavaScript number cannot represent an integer exactly', async () => {
    const { database } = open();
    expect(await failureOf(database.query('SELECT 9007199254740993::int8'))).toBeInstanceOf(RangeError);
    expect((await database.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('form one array per row if the query requests arrays', async () => {
    const { database } = open();
    expect((await database.query({ text: 'SELECT 1, $1::text', values: ['x'], rowMode: 'array' })).rows).toEqual([
      [1, 'x'],
    ]);
  });
});

describe('pool: statements of requests', () => {
  it('prepares a named statement once per connection', async () => {
    const { database } = open({ max: 1 });
    const statement = { name: 'double', text: 'SELECT $1::int * 2 AS value' };
    await database.query(statement, [1]);
    expect((await database.query(statement, [4])).rows).toEqual([{ value: 8 }]);
    const { rows } = await database.query('SELECT name FROM pg_prepared_statements');
    expect(rows).toEqual([{ name: 'double' }]);
  });

  it('logs slow statements with duration and request id, but without values', async () => {
    const context = new AsyncLocalStorage<string>();
    const { database, lines } = open({ slowQueryMs: 40, requestId: () => context.getStore() });
    await context.run('r-1', () => database.query('SELECT pg_sleep(0.05), $1::text', ['hunter2']));
    await context.run('r-2', () => database.query('SELECT 1'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 'warn',
      message: 'slow query',
      fields: { sql: 'SELECT pg_sleep(0.05), $1::text', requestId: 'r-1' },
    });
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('logs the id of the request that sent a statement, even if the statement waited for a connection', async () => {
    const context = new AsyncLocalStorage<string>();
    const { database, lines } = open({ max: 1, slowQueryMs: 0, requestId: () => context.getStore() });
    await Promise.all([
      context.run('r-1', () => database.pool.query('SELECT 1')),
      context.run('r-2', () => database.pool.query('SELECT 2')),
      context.run('r-3', () => database.inTransaction((tx) => tx.query('SELECT 3'))),
    ]);
    const asked = lines.map(({ fields }) => [Reflect.get(fields, 'sql'), Reflect.get(fields, 'requestId')].join(' '));
    expect(asked).toEqual(expect.arrayContaining(['SELECT 1 r-1', 'SELECT 2 r-2', 'SELECT 3 r-3', 'COMMIT r-3']));
  });

  it('logs slow statements that fail', async () => {
    const { database, lines } = open({ slowQueryMs: 0 });
    await failureOf(database.query('SELECT nonsense'));
    expect(lines.map(({ fields }) => Reflect.get(fields, 'sql'))).toEqual(['SELECT nonsense']);
  });

  it('cancels statements after statementTimeoutMs', async () => {
    const { database } = open({ statementTimeoutMs: 50 });
    expect(await failureOf(database.query('SELECT pg_sleep(5)'))).toMatchObject({ code: '57014' });
  });
});

describe('pool: lost connection', () => {
  it('causes a log line, and is replaced when the connection was idle', async () => {
    const { database, lines } = open({ max: 1 });
    const other = open().database;
    await other.query('SELECT pg_terminate_backend($1)', [await pidOf(database)]);
    await expect.poll(() => lines.map(({ message }) => message)).toEqual(['database connection lost']);
    await database.ping();
  });

  it('makes the transaction fail, is closed and leaves the pool usable', async () => {
    const { database } = open({ max: 1 });
    const other = open().database;
    const failure = await failureOf(
      database.inTransaction(async (tx) => {
        const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
        await tx.query('SELECT 1');
      }),
    );
    expect(convertErrorToDatabaseFault(failure)?.kind).toBe('unavailable');
    expect(database.pool.totalCount).toBe(0);
    expect(await database.inTransaction((tx) => tx.query('SELECT 1'))).toMatchObject({ rowCount: 1 });
  });
});

describe('pool: server without memory for a statement', () => {
  it('rejects the statement, whose outcome is known, and retains the connection', async () => {
    const { database, lines } = open({ max: 1 });
    const full = "DO $$ BEGIN RAISE EXCEPTION 'out of shared memory' USING ERRCODE = '53200'; END $$";
    for (const run of [(tx: OpenTx) => tx.query(full), (tx: OpenTx) => tx.finish(full)]) {
      const failure = await failureOf(database.inTransaction(run));
      expect(failure).not.toBeInstanceOf(UnknownCommitOutcomeError);
      expect(convertErrorToDatabaseFault(failure)?.kind).toBe('unavailable');
    }
    expect([database.pool.totalCount, lines]).toEqual([1, []]);
  });
});

describe('pool: unavailable server', () => {
  it('causes an error at the first ping instead of when the pool is created', async () => {
    const { database } = openWithLog('postgres://nobody@127.0.0.1:1/none');
    expect(convertErrorToDatabaseFault(await failureOf(database.ping()))?.kind).toBe('unavailable');
    await database.close();
  });

  it('causes the same error as a pool without a free connection after the connection timeout', async () => {
    const { database } = open({ max: 1, shortWaitMs: 50 });
    const waited = database.inTransaction(() => failureOf(database.ping()));
    expect(convertErrorToDatabaseFault(await waited)?.kind).toBe('unavailable');
  });
});
