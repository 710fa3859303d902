import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  BadEventQueueError,
  createNewLogEpochsSql,
  EventLogInUseError,
  EventLogUnavailableError,
} from '../src/index.js';
import { range, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { uniqueName, until } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let realm: string;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
});
beforeEach(() => {
  realm = uniqueName();
});
afterEach(async () => {
  await stopAll();
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});
afterAll(() => drop());

/** Starts the event log of a process. Logs on one pool are those of one process. */
const startProcess = (on: pg.Pool, options = {}): TestProcess =>
  new TestProcess(on, 'switchboard', { store: 'tables', redis: undefined, ...options });

function openPool(connectionString = pool.options.connectionString): pg.Pool {
  const opened = new pg.Pool({ connectionString, max: 5 });
  opened.on('error', () => {});
  cleanups.push(() => opened.end());
  return opened;
}

/** Returns a pool whose statements are sent by `run`. Statements on a connection of their own are sent as usual. */
function withStatements(
  run: (sql: string, params: unknown[], send: () => Promise<pg.QueryResult>) => Promise<unknown>,
  on = pool,
): pg.Pool {
  const query = (sql: string, params: unknown[]): Promise<unknown> =>
    run(sql, params, () => on.query<Record<string, unknown>>(sql, params));
  return new Proxy(on, {
    get: (target, name): unknown => (name === 'query' ? query : Reflect.get(target, name, target)),
  });
}

/** Returns a pool that loses the response to the next statement that calls the function `lost.name` for the realm. */
function losingResponses(lost: { name: string | null }): pg.Pool {
  return withStatements(async (sql, params, send) => {
    const result = await send();
    if (lost.name === null || !sql.includes(lost.name) || params[0] !== realm) return result;
    lost.name = null;
    throw new Error('Connection terminated unexpectedly');
  });
}

/** Connection to PostgreSQL that transports no further data after a call of `freeze`, and stays open. */
class FreezableNetwork {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((client) => this.join(client));
  private isFrozen = false;

  /** Returns the URL of the test database behind this network. */
  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const url = new URL(pool.options.connectionString ?? '');
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    cleanups.push(() => this.stop());
    return url.href;
  }

  freeze(): void {
    this.isFrozen = true;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private join(client: Socket): void {
    const { hostname, port } = new URL(pool.options.connectionString ?? '');
    const database = connect(Number(port || 5432), hostname);
    for (const socket of [client, database]) this.sockets.add(socket.on('error', () => {}));
    if (!this.isFrozen) client.pipe(database).pipe(client);
  }
}

const countLocks = async (): Promise<number> =>
  (
    await pool.query(
      `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
       WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND d.datname = current_database()`,
    )
  ).rowCount ?? 0;

const countEntries = async (): Promise<number> =>
  (await pool.query('SELECT FROM queue.event_log_entry WHERE realm = $1', [realm])).rowCount ?? 0;

describe('EventLog in tables that loses the response to a statement', () => {
  it('ends the earlier poll of a queue that a later poll of the process has taken over', async () => {
    const lost: { name: string | null } = { name: null };
    const shared = losingResponses(lost);
    const [first, second] = [startProcess(shared), startProcess(shared)];
    const client = await TestClient.register(first, realm);
    const pending = client.poll(first, true);
    await until(() => first.log.metrics().waiters === 1);
    lost.name = 'check_event_queues';
    await expect(client.poll(second)).rejects.toThrow(EventLogUnavailableError);
    await second.log.sweep();
    expect(await pending).toEqual([]);
  });

  it.each(['remove_event_queues', 'collect_event_queues'])('ends the poll of a queue that %s removed', async (name) => {
    const lost: { name: string | null } = { name: null };
    const process = startProcess(losingResponses(lost));
    const client = await TestClient.register(process, realm);
    const pending = expect(client.poll(process, true)).rejects.toThrow(BadEventQueueError);
    await until(() => process.log.metrics().waiters === 1);
    await pool.query("UPDATE queue.event_queue SET expires_at = now() - interval '1 s' WHERE realm = $1", [realm]);
    lost.name = name;
    const { queueId } = client;
    await (name.startsWith('remove')
      ? expect(process.log.remove({ realm, owner: '1', queueId })).rejects.toThrow(EventLogUnavailableError)
      : process.log.sweep().catch(() => {}));
    expect(lost.name).toBeNull();
    await process.log.sweep();
    await pending;
  });

  it('delivers an entry that was appended', async () => {
    const lost: { name: string | null } = { name: null };
    const shared = losingResponses(lost);
    const [reader, writer] = [startProcess(shared), startProcess(shared)];
    const client = await TestClient.register(reader, realm);
    const pending = client.poll(reader, true);
    await until(() => reader.log.metrics().waiters === 1);
    lost.name = 'append_to_log';
    await writer.change(realm, 1);
    expect(await pending).toMatchObject([{ n: 1 }]);
    expect(lost.name).toBeNull();
  });

  it('begins a new epoch after a reset', async () => {
    const lost: { name: string | null } = { name: null };
    const process = startProcess(losingResponses(lost));
    const client = await TestClient.register(process, realm);
    await process.change(realm, 1);
    await client.collect(process, 1);
    await pool.query(createNewLogEpochsSql());
    lost.name = 'reset_log';
    await process.change(realm, 2);
    await until(() => lost.name === null);
    await process.log.sweep();
    await expect(client.poll(process)).rejects.toThrow(BadEventQueueError);
    const again = await TestClient.register(process, realm);
    expect(again.things).toEqual([1, 2]);
    await process.change(realm, 3);
    expect(await again.collect(process, 3)).toEqual([1, 2, 3]);
  });
});

describe('EventLog in tables whose statement changes nothing', () => {
  it.each([
    ['PostgreSQL reports an error', { code: '40P01' }],
    ['the server refuses a connection', { code: 'ECONNREFUSED' }],
    ['the connection cannot be opened', { syscall: 'connect' }],
    ['no connection becomes free', { message: 'timeout exceeded when trying to connect' }],
  ])('does not check pending polls again when %s', async (_, fields) => {
    let isFailing = false;
    let checks = 0;
    const process = startProcess(
      withStatements(async (sql, _params, send) => {
        if (!sql.includes('check_event_queues')) return send();
        checks += 1;
        if (!isFailing) return send();
        isFailing = false;
        throw Object.assign(new Error('failed'), fields);
      }),
    );
    const [waiting, other] = [await TestClient.register(process, realm), await TestClient.register(process, realm)];
    const pending = waiting.poll(process, true);
    await until(() => process.log.metrics().waiters === 1);
    isFailing = true;
    await expect(other.poll(process)).rejects.toThrow(EventLogUnavailableError);
    await other.poll(process);
    await process.log.sweep();
    await process.change(realm, 1);
    expect(await pending).toMatchObject([{ n: 1 }]);
    expect(checks).toBe(3);
  });
});

describe('EventLog in tables at a reset', () => {
  it('deletes the entries of the former epoch only with the removal of old entries', async () => {
    const removed: number[] = [];
    const process = startProcess(
      withStatements(async (sql, _params, send) => {
        const before = await countEntries();
        const result = await send();
        if (sql.includes('reset_log')) removed.push(before - (await countEntries()));
        return result;
      }),
    );
    for (const n of range(1, 6)) await process.change(realm, n);
    await until(async () => (await countEntries()) === 5);
    await pool.query(createNewLogEpochsSql());
    await process.change(realm, 6);
    await until(() => removed.length === 1);
    expect(removed).toEqual([0]);
    await process.log.sweep();
    expect(await countEntries()).toBeLessThanOrEqual(1);
  });
});

describe('EventLog in tables that appends entries', () => {
  it('sends an append after the earlier append of the realm has ended', async () => {
    const steps: string[] = [];
    let resume = (): void => {};
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    const statuses: unknown[] = [];
    const process = startProcess(
      withStatements(async (sql, _params, send) => {
        if (!sql.includes('append_to_log')) return send();
        steps.push('begin');
        if (steps.length === 1) await resumed;
        const result = await send();
        steps.push('end');
        statuses.push((result.rows[0] as { status: string }).status);
        return result;
      }),
    );
    const client = await TestClient.register(process, realm);
    await process.change(realm, 1);
    await process.change(realm, 2);
    const countNumbered = async (): Promise<number | null> =>
      (await pool.query('SELECT FROM queue.outbox WHERE realm = $1 AND seq IS NOT NULL', [realm])).rowCount;
    await until(async () => (await countNumbered()) === 2);
    resume();
    expect(await client.collect(process, 2)).toEqual([1, 2]);
    expect(steps).toEqual(['begin', 'end', 'begin', 'end']);
    expect(statuses).toEqual(['OK', 'OK']);
  });

  it('replaces a row that the driver cannot represent by an empty entry', async () => {
    const process = startProcess(
      withStatements(async (sql, params, send) => {
        const isTooLong = sql.includes('append_to_log') && /"n": ?666\b/.test(String(params.at(-1)));
        if (isTooLong) throw new RangeError('Invalid string length');
        return send();
      }),
      { entryAttempts: 2 },
    );
    const client = await TestClient.register(process, realm);
    await process.change(realm, 666);
    await until(async () => {
      await process.log.sweep().catch(() => {});
      return process.log.metrics().voided === 1;
    });
    await process.log.sweep();
    await expect(client.poll(process)).rejects.toThrow(BadEventQueueError);
    const again = await TestClient.register(process, realm);
    await process.change(realm, 1);
    expect(await again.collect(process, 2)).toEqual([666, 1]);
  });

  it('divides long rows among several statements', async () => {
    const lengths: number[] = [];
    const process = startProcess(
      withStatements(async (sql, params, send) => {
        if (sql.includes('append_to_log')) lengths.push(JSON.stringify(params).length);
        return send();
      }),
    );
    const client = await TestClient.register(process, realm);
    await process.commit(async (tx) => {
      for (const n of range(1, 21))
        process.log.write(tx, {
          realm,
          audience: { all: true },
          event: { type: 'thing', n, text: 'x'.repeat(990_000) },
        });
    });
    expect(await client.collect(process, 20)).toEqual(range(1, 21));
    expect(lengths).toHaveLength(2);
    expect(Math.max(...lengths)).toBeLessThan(17 * 1024 * 1024);
  });
});

describe('EventLog in tables whose host is lost', () => {
  it('has a lock that PostgreSQL ends 25 s later, on a connection that the pool does not use again', async () => {
    const own = openPool();
    const connections: pg.PoolClient[] = [];
    own.on('acquire', (connection) => connections.push(connection));
    const process = startProcess(own);
    await process.log.waitUntilStoreResponds();
    const settings: unknown[] = [];
    for (const name of ['idle', 'interval', 'count']) {
      const sql = `SELECT reset_val, setting FROM pg_settings WHERE name = 'tcp_keepalives_${name}'`;
      settings.push((await connections[0]?.query<{ setting: string }>(sql))?.rows[0]?.setting);
    }
    expect(settings).toEqual(['10', '5', '3']);
    await process.log.stop();
    expect(own.totalCount).toBe(0);
    await until(async () => (await countLocks()) === 0);
  });

  it('stops without a response from PostgreSQL', async () => {
    const network = new FreezableNetwork();
    const process = startProcess(openPool(await network.start()));
    await process.log.waitUntilStoreResponds();
    expect(await countLocks()).toBe(1);
    network.freeze();
    await process.log.stop();
    // The session of the lost host has the lock until PostgreSQL ends the session.
    expect(await countLocks()).toBe(1);
    const other = startProcess(openPool());
    let refusal: unknown;
    await until(async () => {
      refusal = await other.log.waitUntilStoreResponds(500).catch((error: unknown) => error);
      return refusal instanceof EventLogInUseError;
    });
    expect(String(refusal)).toMatch(/by the database session with the process ID \d+\. /);
    network.stop();
    await other.log.waitUntilStoreResponds(30_000);
  });

  it('stops while the maintenance waits for a response', async () => {
    const network = new FreezableNetwork();
    let isFrozen = false;
    const process = startProcess(
      withStatements(
        (sql, _params, send) => {
          isFrozen ||= sql.includes('event_log ORDER BY realm');
          if (isFrozen) network.freeze();
          return send();
        },
        openPool(await network.start()),
      ),
    );
    await process.log.waitUntilStoreResponds();
    process.log.start();
    await until(() => isFrozen);
    await process.log.stop();
    network.stop();
    await until(async () => (await countLocks()) === 0);
  });

  it('stops while an attempt to lock the tables waits for a response', async () => {
    const network = new FreezableNetwork();
    const own = openPool(await network.start());
    own.on('connect', () => network.freeze());
    const process = startProcess(own);
    await once(own, 'connect');
    await process.log.stop();
    expect(own.totalCount).toBe(0);
    network.stop();
  });

  it('closes a connection that the pool provides after the stop', async () => {
    const own = openPool();
    let provide = (): void => {};
    const provided = new Promise<void>((resolve) => (provide = resolve));
    const connect = async (): Promise<pg.PoolClient> => {
      await provided;
      return own.connect();
    };
    const late = new Proxy(own, {
      get: (target, name): unknown => (name === 'connect' ? connect : Reflect.get(target, name, target)),
    });
    await startProcess(late).log.stop();
    const removed = once(own, 'remove');
    provide();
    await removed;
    expect(own.totalCount).toBe(0);
    expect(await countLocks()).toBe(0);
  });

  it('does not keep the process alive after the stop', async () => {
    const network = new FreezableNetwork();
    const script = join(import.meta.dirname, 'fixture/stopped-event-log-in-tables.mjs');
    const child = spawn(process.execPath, [script, await network.start()], { stdio: ['ignore', 'pipe', 'inherit'] });
    cleanups.push(() => child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await until(() => output === 'locked\n');
    network.freeze();
    child.kill('SIGTERM');
    await until(() => child.exitCode !== null);
    expect([child.exitCode, output]).toEqual([0, 'locked\nstopped\n']);
  });
});
