import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { UnknownCommitOutcomeError, type Database } from '../src/index.js';
import { PausingProxy } from './pausing-proxy.js';
import { createScratchDatabase, dropScratchDatabase, failureOf, openWithLog } from './temporary-database.js';

let url: string;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  url = await createScratchDatabase();
  const { database } = openWithLog(url);
  await database.query('CREATE TABLE one (id int)');
  await database.close();
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

afterAll(() => dropScratchDatabase(url));

/** Time limits that are long enough for all tests on a slow machine. */
const longWaits = { connectTimeoutMs: 60_000, shortWaitMs: 60_000 };

function open(options: Parameters<typeof openWithLog>[1] = {}, at = url): ReturnType<typeof openWithLog> {
  const logged = openWithLog(at, { ...longWaits, ...options });
  closing.push(() => logged.database.close());
  return logged;
}

async function startProxy(): Promise<PausingProxy> {
  const proxy = await PausingProxy.start(url);
  closing.push(() => proxy.close());
  return proxy;
}

interface Pid {
  readonly pid: number;
}

const pidSql = 'SELECT pg_backend_pid() AS pid';

async function pidOf(database: Database): Promise<number | undefined> {
  return (await database.query<Pid>(pidSql)).rows[0]?.pid;
}

/**
 * Runs `sql` on the given number of connections, all in use at the same time. Returns the session ids of the
 * connections.
 */
async function onConnections(database: Database, count: number, sql = 'SELECT 1'): Promise<number[]> {
  let arrived = 0;
  let release = (): void => {};
  const all = new Promise<void>((resolve) => (release = resolve));
  const pids = Array.from({ length: count }, () =>
    database.inTransaction(async (tx) => {
      const { rows } = await tx.query<Pid>(pidSql);
      await tx.query(sql);
      if (++arrived === count) release();
      await all;
      return rows[0]?.pid ?? 0;
    }),
  );
  return Promise.all(pids);
}

/** Repeats work with short time limits until the work succeeds. A busy machine may exceed these limits. */
async function untilSuccess(work: () => Promise<unknown>): Promise<void> {
  await expect.poll(() => failureOf(work())).toBeUndefined();
}

/** SQL statement that makes a session behave like a session on a demoted primary, which accepts only reads. */
const demote = 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY';

/** Makes future sessions behave like sessions on a standby, or reverses this setting. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const { database } = openWithLog(url);
  const name = new URL(url).pathname.slice(1);
  await database.query(`SET default_transaction_read_only = off`);
  await database.pool.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = ${String(isReadOnly)}`);
  await database.close();
}

const insert = 'INSERT INTO one VALUES ($1)';

/** Functions that write to a database, each of which fails with an error if the server accepts only reads. */
const writes: [name: string, write: (database: Database) => Promise<unknown>][] = [
  ['a single statement', (database) => database.query(insert, [1])],
  ['the only statement of a transaction', (database) => database.inTransaction((tx) => tx.finish(insert, [1]))],
  [
    'the last statement of a transaction',
    (database) =>
      database.inTransaction(async (tx) => {
        await tx.query('SELECT $1::int', [1]);
        return tx.finish(insert, [1]);
      }),
  ],
  [
    'a statement whose error the transaction swallows',
    (database) => database.inTransaction((tx) => tx.query(insert, [1]).catch(() => undefined)),
  ],
  [
    'a statement before a read whose error is thrown',
    (database) =>
      database.inTransaction(async (tx) => {
        await tx.query(insert, [1]).catch(() => undefined);
        await tx.query('SELECT 1');
      }),
  ],
  [
    'a statement on a connection of servicePool',
    async (database) => {
      const connection = await database.servicePool.connect();
      try {
        await connection.query(insert, [1]);
      } finally {
        connection.release();
      }
    },
  ],
  [
    'a statement of background work',
    (database) => database.background('sweep').inTransaction((tx) => tx.query(insert, [1])),
  ],
];

describe('pool on a primary that was demoted to read-only', () => {
  it.each(writes)('closes the connection after %s, and writes over the next connection', async (_, write) => {
    const { database } = open({ max: 1 });
    await write(database);
    await database.query(demote);
    const pid = await pidOf(database);
    const failure = await failureOf(write(database));
    expect(convertErrorToDatabaseFault(failure)?.kind).toBe('unavailable');
    expect(failure).not.toBeInstanceOf(UnknownCommitOutcomeError);
    expect(await pidOf(database)).not.toBe(pid);
    expect(await failureOf(write(database))).toBeUndefined();
  });

  it('replaces all connections after the first failed write, and logs the replacement once', async () => {
    const onConnectionsReplaced = vi.fn<() => void>();
    const { database, lines } = open({ max: 3, onConnectionsReplaced });
    const demoted = await onConnections(database, 3, demote);
    await failureOf(database.query(insert, [1]));
    expect(onConnectionsReplaced).toHaveBeenCalledOnce();
    const later = await onConnections(database, 3, `INSERT INTO one VALUES (2)`);
    expect(later.filter((pid) => demoted.includes(pid))).toEqual([]);
    expect(lines.map(({ message }) => message)).toEqual([
      'database server accepts only reads: replacing all connections',
    ]);
  });

  it('closes a connection that was in use when another connection detected the demotion', async () => {
    const { database } = open({ max: 2 });
    await onConnections(database, 2, demote);
    const pid = await database.inTransaction(async (tx) => {
      const { rows } = await tx.query<Pid>(pidSql);
      const connection = await database.servicePool.connect();
      await failureOf(connection.query(insert, [1]));
      connection.release();
      return rows[0]?.pid;
    });
    expect(await onConnections(database, 2)).not.toContain(pid);
  });

  it('retains connections for reads if the server already accepted only reads when they were opened', async () => {
    await setReadOnly(true);
    closing.push(() => setReadOnly(false));
    const { database, lines } = open({ max: 2 });
    const [first, second] = await onConnections(database, 2);
    const failed = await database
      .inTransaction(async (tx) => {
        const { rows } = await tx.query<Pid>(pidSql);
        await failureOf(tx.query(insert, [1]));
        return rows[0]?.pid;
      })
      .catch((error: unknown) => convertErrorToDatabaseFault(error)?.kind);
    expect(failed).toBe('unavailable');
    const remaining = await onConnections(database, 2);
    expect(remaining.filter((pid) => pid === first || pid === second)).toHaveLength(1);
    expect(lines).toEqual([]);
  });
});

describe('pool whose address leads from a standby to the primary', () => {
  it('replaces the connections to the standby when the first connection to the primary is opened', async () => {
    const onConnectionsReplaced = vi.fn<() => void>();
    await setReadOnly(true);
    closing.push(() => setReadOnly(false));
    const { database } = open({ max: 3, onConnectionsReplaced });
    const readOnly = await onConnections(database, 2);
    await setReadOnly(false);
    expect(onConnectionsReplaced).not.toHaveBeenCalled();

    await onConnections(database, 3);
    expect(onConnectionsReplaced).toHaveBeenCalledOnce();
    const later = await onConnections(database, 3, 'INSERT INTO one VALUES (3)');
    expect(later.filter((pid) => readOnly.includes(pid))).toEqual([]);
    expect(onConnectionsReplaced).toHaveBeenCalledOnce();
  });
});

describe('write in a transaction that was started as read-only', () => {
  it('fails with a TypeError, because the write is a defect of the program', async () => {
    const { database } = open();
    const failure = await failureOf(database.inTransaction((tx) => tx.query(insert, [1]), { readOnly: true }));
    expect(String(failure)).toMatch(/started as read-only wrote: cannot execute INSERT/);
    expect(convertErrorToDatabaseFault(failure)).toBeNull();
  });
});

describe('pool on a server that stops responding', () => {
  const limits = { statementTimeoutMs: 2_000, responseMarginMs: 1_000 };

  it.each(writes.filter(([name]) => !/servicePool|background/.test(name)))(
    'ends %s with the error unavailable after the time limit plus a margin',
    async (_, write) => {
      const proxy = await startProxy();
      const { database } = open({ max: 1, ...limits }, proxy.url);
      await untilSuccess(() => write(database));
      proxy.pause();
      expect(convertErrorToDatabaseFault(await failureOf(write(database)))?.kind).toBe('unavailable');
      proxy.resume();
      await untilSuccess(() => write(database));
    },
  );

  it('throws UnknownCommitOutcomeError for a transaction whose COMMIT got no response', async () => {
    const proxy = await startProxy();
    const { database } = open({ max: 1, statementTimeoutMs: 60_000, responseMarginMs: 1_000 }, proxy.url);
    const failure = await failureOf(
      database.inTransaction(async (tx) => {
        await tx.query(insert, [1]);
        await tx.query('SET LOCAL statement_timeout = 2000');
        proxy.pause();
      }),
    );
    expect(failure).toBeInstanceOf(UnknownCommitOutcomeError);
    expect(convertErrorToDatabaseFault(failure)?.kind).toBe('unavailable');
  });

  it('replaces all idle connections together with the first connection that receives no response', async () => {
    const proxy = await startProxy();
    const onConnectionsReplaced = vi.fn<() => void>();
    const { database, lines } = open({ max: 3, ...limits, onConnectionsReplaced }, proxy.url);
    const before = await onConnections(database, 3);
    proxy.pause();
    await failureOf(database.query('SELECT 1'));
    expect(onConnectionsReplaced).toHaveBeenCalledOnce();
    expect(lines.map(({ message }) => message)).toEqual([
      'database server does not respond: replacing all connections',
    ]);
    proxy.resume();
    const after = await onConnections(database, 3);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    await expect.poll(() => proxy.openCount).toBe(3);
  });

  it('ends the opening of a connection after connectTimeoutMs', async () => {
    const proxy = await startProxy();
    proxy.pauseAt('transaction_read_only');
    const { database } = open({ max: 1, connectTimeoutMs: 500 }, proxy.url);
    expect(convertErrorToDatabaseFault(await failureOf(database.query('SELECT 1')))?.kind).toBe('unavailable');
    proxy.resume();
    await untilSuccess(() => database.query('SELECT 1'));
  });
});

describe('statement that runs for longer than the limit of the pool', () => {
  const limits = { statementTimeoutMs: 1_000, responseMarginMs: 100, backgroundTimeoutMs: 60_000 };
  const sleep = 'SELECT pg_sleep(3)';

  it('runs to its end as background work', async () => {
    const { database } = open({ max: 1, ...limits });
    expect(await failureOf(database.background('sweep').query(sleep))).toBeUndefined();
  });

  it('completes in a transaction that has set a longer limit in the form 30s', async () => {
    const { database } = open({ max: 1, ...limits });
    const work = database.inTransaction(async (tx) => {
      await tx.query('SET LOCAL statement_timeout = 1000');
      await tx.query("SELECT set_config('statement_timeout', $1, true)", ['30s']);
      await tx.query(sleep);
    });
    expect(await failureOf(work)).toBeUndefined();
  });

  it('runs to its end in a transaction without a limit, and the next work has the limit of the pool again', async () => {
    const proxy = await startProxy();
    const { database } = open({ max: 1, ...limits }, proxy.url);
    await database.inTransaction(async (tx) => {
      await tx.query("SELECT set_config('statement_timeout', '0', true)");
      await tx.query(sleep);
    });
    proxy.pause();
    expect(convertErrorToDatabaseFault(await failureOf(database.query('SELECT 1')))?.kind).toBe('unavailable');
  });
});
