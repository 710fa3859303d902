import { AsyncLocalStorage } from 'node:async_hooks';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ClientDisconnectedError, type Database } from '../src/index.js';
import { createScratchDatabase, dropScratchDatabase, failureOf, openWithLog } from './temporary-database.js';
import { TestDisconnect } from './test-disconnect.js';

const context = new AsyncLocalStorage<TestDisconnect>();
const options = { max: 2, disconnect: () => context.getStore(), statementTimeoutMs: 30_000 };

let url: string;
let database: Database;

beforeAll(async () => {
  url = await createScratchDatabase();
});

beforeEach(async () => {
  database = openWithLog(url, options).database;
  await database.query('CREATE TABLE IF NOT EXISTS note (id int)');
  await database.query('TRUNCATE note');
});

afterEach(() => database.close());

afterAll(() => dropScratchDatabase(url));

/**
 * Runs `work` for a client that disconnects while the statement `sql` is running, then runs `afterwards`. Returns the
 * error of `work`.
 */
async function disconnectDuring<T>(
  sql: string,
  work: () => Promise<T>,
  afterwards: () => Promise<void> = async () => {},
): Promise<unknown> {
  const disconnect = new TestDisconnect();
  const outcome = failureOf(context.run(disconnect, work));
  await running(sql);
  disconnect.trigger();
  await afterwards();
  return outcome;
}

/** SQL function call that waits until the test releases an advisory lock (see {@link closeGate}). */
const gate = 'pg_advisory_xact_lock_shared(1)';

/**
 * Closes the gate, so that statements wait.
 *
 * @returns a function that opens it after the time that a cancel request takes to arrive
 */
async function closeGate(): Promise<() => Promise<void>> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  return async () => {
    await client.query('SELECT pg_sleep(0.2)');
    await client.end();
  };
}

async function countRunning(sql: string): Promise<number> {
  const { rowCount } = await database.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE $1",
    [`${sql}%`],
  );
  return rowCount;
}

const running = (sql: string) => expect.poll(() => countRunning(sql), { interval: 5, timeout: 5_000 }).toBe(1);

async function noteCount(): Promise<number> {
  return (await database.query('SELECT FROM note')).rowCount;
}

const sleep = 'SELECT pg_sleep(20)';

describe('disconnect of a client', () => {
  it('cancels the running query of the request, and releases its connection', async () => {
    const started = performance.now();
    const failure = await disconnectDuring(sleep, () => database.query(sleep));
    expect(convertErrorToDatabaseFault(failure)?.kind).toBe('timeout');
    expect(performance.now() - started).toBeLessThan(10_000);
    await expect.poll(() => database.pool.idleCount).toBe(database.pool.totalCount);
    expect(database.pool.totalCount).toBe(2);
  });

  it('removes a query that waits for a connection', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const busy = [1, 2].map(() => database.inTransaction(() => held));
    const disconnect = new TestDisconnect();
    const waiting = failureOf(context.run(disconnect, () => database.query('SELECT 1')));
    disconnect.trigger();
    release();
    expect(await waiting).toBeInstanceOf(ClientDisconnectedError);
    await Promise.all(busy);
    expect(disconnect.listeners).toBe(0);
  });

  it('removes a transaction that waits for a connection', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const busy = [1, 2].map(() => database.inTransaction(() => held));
    const disconnect = new TestDisconnect();
    let began = false;
    const waiting = failureOf(
      context.run(disconnect, () =>
        database.inTransaction(async () => {
          began = true;
        }),
      ),
    );
    disconnect.trigger();
    release();
    expect(await waiting).toBeInstanceOf(ClientDisconnectedError);
    expect(began).toBe(false);
    await Promise.all(busy);
  });

  it.each([
    ['first', sleep],
    ['framed first', 'SELECT pg_sleep($1)'],
  ])('cancels the %s statement of a transaction, and rolls the transaction back', async (_name, sql) => {
    // From the second use on, BEGIN and a statement with values are sent in one frame.
    await Promise.all([1, 2].map(() => database.inTransaction((tx) => tx.query('SELECT pg_sleep($1)', [0.01]))));
    const failure = await disconnectDuring(sql, () =>
      database.inTransaction(async (tx) => {
        await tx.query(sql, sql === sleep ? undefined : [20]);
        await tx.query('INSERT INTO note VALUES (1)');
      }),
    );
    expect(convertErrorToDatabaseFault(failure)?.kind).toBe('timeout');
    expect(await noteCount()).toBe(0);
  });

  it('rolls back a transaction during a later statement', async () => {
    await disconnectDuring(sleep, () =>
      database.inTransaction(async (tx) => {
        await tx.query('INSERT INTO note VALUES (1)');
        await tx.query(sleep);
      }),
    );
    expect(await noteCount()).toBe(0);
    await expect.poll(() => database.pool.idleCount).toBe(database.pool.totalCount);
  });

  it('ends a transaction when the client disconnects between two statements', async () => {
    const disconnect = new TestDisconnect();
    const failure = await failureOf(
      context.run(disconnect, () =>
        database.inTransaction(async (tx) => {
          await tx.query('INSERT INTO note VALUES (1)');
          disconnect.trigger();
          await tx.query('INSERT INTO note VALUES (2)');
        }),
      ),
    );
    expect(convertErrorToDatabaseFault(failure)?.kind).toBe('timeout');
    expect(await noteCount()).toBe(0);
  });

  it('rolls back a transaction before its COMMIT', async () => {
    const disconnect = new TestDisconnect();
    await failureOf(
      context.run(disconnect, () =>
        database.inTransaction(async (tx) => {
          await tx.query('INSERT INTO note VALUES (1)');
          disconnect.trigger();
        }),
      ),
    );
    expect(await noteCount()).toBe(0);
  });

  it('has no effect after COMMIT was sent', async () => {
    const disconnect = new TestDisconnect();
    const openGate = await closeGate();
    await context.run(disconnect, async () => {
      await database.inTransaction(async (tx) => {
        await tx.query('SELECT 1');
        const last = tx.finish(`INSERT INTO note SELECT 1 FROM ${gate}`);
        await running('INSERT');
        disconnect.trigger();
        await openGate();
        await last;
      });
      await database.query('SELECT 1');
    });
    expect([disconnect.hasOccurred, await noteCount()]).toEqual([false, 1]);
  });

  it('does not cancel single write statements', async () => {
    const openGate = await closeGate();
    await disconnectDuring('INSERT', () => database.query(`INSERT INTO note SELECT 1 FROM ${gate}`), openGate);
    expect(await noteCount()).toBe(1);
  });

  it('does not cancel shared queries and background work', async () => {
    const disconnect = new TestDisconnect();
    const all = context.run(disconnect, () =>
      Promise.all([
        database.shared.query('SELECT pg_sleep(0.2)'),
        database.background('test').inTransaction((tx) => tx.query('SELECT pg_sleep(0.2)')),
      ]),
    );
    disconnect.trigger();
    await all;
  });

  it('does not cancel statements that the request starts after the disconnect', async () => {
    const disconnect = new TestDisconnect();
    disconnect.trigger();
    await context.run(disconnect, async () => {
      await database.query('SELECT 1');
      await database.inTransaction((tx) => tx.query('INSERT INTO note VALUES (1)'));
    });
    expect(await noteCount()).toBe(1);
  });
});

describe('cancel request that PostgreSQL receives late', () => {
  it('does not cancel other work on the connection', async () => {
    const outcomes: unknown[] = [];
    // Half of the statements end about when their cancel request is sent.
    const doomed = async (n: number): Promise<void> => {
      const disconnect = new TestDisconnect();
      const work = failureOf(
        context.run(disconnect, () =>
          n % 2 === 0
            ? database.query('SELECT pg_sleep($1)', [(n % 5) / 1000])
            : database.inTransaction((tx) => tx.query('SELECT pg_sleep($1)', [(n % 5) / 1000])),
        ),
      );
      await delay(n % 4);
      disconnect.trigger();
      const failure = await work;
      if (failure !== undefined && convertErrorToDatabaseFault(failure)?.kind !== 'timeout') outcomes.push(failure);
    };
    const innocent = async (n: number): Promise<void> => {
      const failure = await failureOf(
        n % 2 === 0
          ? database.query('SELECT pg_sleep(0.001)')
          : database.inTransaction(async (tx) => {
              await tx.query('SELECT pg_sleep(0.001)');
              await tx.finish('INSERT INTO note VALUES ($1)', [n]);
            }),
      );
      if (failure !== undefined) outcomes.push(failure);
    };
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(Array.from({ length: 5 }, (_, n) => [doomed(round + n), innocent(n)]).flat());
    }
    expect(outcomes).toEqual([]);
    expect(await noteCount()).toBe(40 * 2);
    expect(database.pool.totalCount).toBeLessThanOrEqual(2);
  });

  it('reserves its connection until the server has responded to the cancel request', async () => {
    let forward = (): void => {};
    const proxy = await startHoldingProxy(url, new Promise((resolve) => (forward = resolve)));
    const slow = openWithLog(proxy.url, { ...options, max: 1 }).database;
    const openGate = await closeGate();
    // The statement ends before the request arrives.
    expect(await disconnectDuring('SELECT FROM', () => slow.query(`SELECT FROM ${gate}`), openGate)).toBeUndefined();
    const order: string[] = [];
    const next = slow.query('SELECT 1').then(() => order.push('next'));
    await database.query('SELECT pg_sleep(0.1)');
    order.push('request');
    forward();
    await next;
    expect(order).toEqual(['request', 'next']);
    await slow.close();
    proxy.close();
  });
});

describe('statementTimeoutMs', () => {
  it('limits statements of requests, while background work has a longer time limit', async () => {
    const limited = openWithLog(url, { statementTimeoutMs: 250, backgroundTimeoutMs: 10_000 }).database;
    expect(await failureOf(limited.query('SELECT pg_sleep(5)'))).toMatchObject({ code: '57014' });
    expect(await failureOf(limited.inTransaction((tx) => tx.query('SELECT pg_sleep(5)')))).toMatchObject({
      code: '57014',
    });
    const background = limited.background('nightly test');
    const sql = `SELECT current_setting('statement_timeout') AS ms, current_setting('application_name') AS name
      FROM pg_sleep(0.1)`;
    const expected = [{ ms: '10s', name: 'test: nightly test' }];
    expect((await background.query(sql)).rows).toEqual(expected);
    expect((await background.inTransaction((tx) => tx.query(sql))).rows).toEqual(expected);
    expect((await limited.query("SELECT current_setting('statement_timeout') AS ms")).rows).toEqual([{ ms: '250ms' }]);
    await limited.close();
  });

  it('leaves the connection of the cancelled statement usable', async () => {
    const limited = openWithLog(url, { statementTimeoutMs: 250, max: 1 }).database;
    const pid = 'SELECT pg_backend_pid() AS pid';
    const { rows } = await limited.query(pid);
    await failureOf(limited.query('SELECT pg_sleep(5)'));
    expect((await limited.query(pid)).rows).toEqual(rows);
    await limited.close();
  });
});

/**
 * Starts a proxy to the server of `target`. The proxy forwards the first connection immediately, and all other
 * connections when the promise `held` resolves.
 */
async function startHoldingProxy(target: string, held: Promise<void>): Promise<{ url: string; close: () => void }> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isFirst = true;
  const server: Server = createServer((client) => {
    const start = isFirst ? Promise.resolve() : held;
    isFirst = false;
    sockets.add(client);
    void start.then(() => {
      const upstream = connect(Number(port), hostname);
      for (const socket of [client, upstream]) socket.on('error', () => {});
      client.pipe(upstream).pipe(client);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const proxied = new URL(target);
  proxied.hostname = '127.0.0.1';
  proxied.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: proxied.href, close };
}
