import { AsyncLocalStorage } from 'node:async_hooks';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  ConnectionWaitTimeoutError,
  ClientDisconnectedError,
  type Database,
  type Tx,
  type DatabaseWorkClassAndUser,
} from '../src/index.js';
import { createScratchDatabase, dropScratchDatabase, failureOf, openWithLog } from './temporary-database.js';
import { TestDisconnect } from './test-disconnect.js';

/** Class of work, user and client disconnect of a simulated request in these tests. */
interface Request {
  readonly work: DatabaseWorkClassAndUser;
  readonly disconnect?: TestDisconnect;
}

const context = new AsyncLocalStorage<Request>();

let url: string;
let database: Database;

beforeAll(async () => {
  url = await createScratchDatabase();
});

afterEach(async () => {
  await Promise.all(gates.splice(0).map((gate) => gate.open()));
  await database.close();
});

afterAll(() => dropScratchDatabase(url));

/**
 * Opens a pool of ten connections. The pool reserves one connection for authentication, five for short work, two for
 * heavy work and one for background work.
 */
function open(options: Parameters<typeof openWithLog>[1] = {}): void {
  ({ database } = openWithLog(url, {
    max: 10,
    workload: () => context.getStore()?.work,
    disconnect: () => context.getStore()?.disconnect,
    ...options,
  }));
}

const as = <T>(user: string, kind: DatabaseWorkClassAndUser['kind'], run: () => T): T =>
  context.run({ work: { kind, user } }, run);

/** Test transactions that occupy connections until the test releases them. */
class Holders {
  #release = (): void => {};
  readonly #held = new Promise<void>((resolve) => (this.#release = resolve));
  readonly #done: Promise<void>[] = [];

  /**
   * Occupies the given number of connections with transactions of a user. Resolves when all transactions have started.
   */
  async take(count: number, user: string, kind: DatabaseWorkClassAndUser['kind']): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, () => new Promise<void>((begun) => this.#begin(user, kind, begun))),
    );
  }

  #begin(user: string, kind: DatabaseWorkClassAndUser['kind'], begun: () => void): void {
    const hold = async (tx: Tx): Promise<void> => {
      await tx.query('SELECT 1');
      begun();
      await this.#held;
    };
    this.#done.push(as(user, kind, () => database.inTransaction(hold)));
  }

  async release(): Promise<void> {
    this.#release();
    await Promise.all(this.#done);
  }
}

/** Locks that the test has not released yet. All locks are released at the end of each test. */
const gates: Gate[] = [];

/**
 * A database lock for which statements wait until the test releases the lock. The waiting time therefore does not
 * depend on the speed of the machine.
 */
class Gate {
  /** SQL of a statement that waits until the test releases the lock. */
  static readonly sql = 'SELECT pg_advisory_xact_lock_shared(1)';
  readonly #client = new pg.Client(url);

  static async close(): Promise<Gate> {
    const gate = new Gate();
    gates.push(gate);
    await gate.#client.connect();
    await gate.#client.query('SELECT pg_advisory_lock(1)');
    return gate;
  }

  /** Releases the lock, so that all statements that wait for the lock can end. */
  async open(): Promise<void> {
    await this.#client.end();
  }
}

const figuresOf = (kind: DatabaseWorkClassAndUser['kind']) => database.poolCounts.classes[kind];

describe('admission of statements to connections', () => {
  it('alternates between users when one user has thirty queued reads', async () => {
    open();
    // Pieces of work that share one connection end in the order in which they begin.
    const [holders, last] = [new Holders(), new Holders()];
    await Promise.all([holders.take(4, 'other', 'short'), last.take(1, 'other', 'short')]);
    const order: string[] = [];
    const read = (user: string) => as(user, 'short', () => database.query('SELECT 1')).then(() => order.push(user));
    const reads = Array.from({ length: 30 }, () => read('busy'));
    reads.push(read('calm'));
    await last.release();
    await Promise.all(reads);
    expect(order.indexOf('calm')).toBe(1);
    await holders.release();
  });

  it('reserves separate shares of the connections for short and for heavy work', async () => {
    open();
    const holders = new Holders();
    await holders.take(5, 'a', 'short');
    await Promise.all(['b', 'c'].map((user) => holders.take(1, user, 'heavy')));
    const waiting = [
      as('d', 'short', () => database.query('SELECT 1')),
      as('d', 'heavy', () => database.query('SELECT 1')),
    ];
    await database.authentication.query('SELECT 1');
    await database.background('sweep').query('SELECT 1');
    expect([figuresOf('short'), figuresOf('heavy')]).toEqual([
      { inUse: 5, waiting: 1, expired: 0 },
      { inUse: 2, waiting: 1, expired: 0 },
    ]);
    await holders.release();
    await Promise.all(waiting);
    expect(database.poolCounts).toMatchObject({
      waitingCount: 0,
      classes: { short: { inUse: 0 }, heavy: { inUse: 0 } },
    });
  });

  it('runs at most two heavy operations of one user at a time', async () => {
    open({ max: 20 });
    const holders = new Holders();
    await holders.take(2, 'a', 'heavy');
    const third = as('a', 'heavy', () => database.query('SELECT 1'));
    await as('b', 'heavy', () => database.query('SELECT 1'));
    expect(figuresOf('heavy')).toEqual({ inUse: 2, waiting: 1, expired: 0 });
    await holders.release();
    await third;
  });

  it('alternates between users when several users wait for snapshots', async () => {
    open();
    const [holders, last] = [new Holders(), new Holders()];
    await Promise.all([holders.take(1, 'a', 'heavy'), last.take(1, 'a', 'heavy')]);
    const order: string[] = [];
    const read = async (name: string, run: () => Promise<unknown>): Promise<void> => {
      await run();
      order.push(name);
    };
    const snapshot = (user: string): Promise<unknown> => database.snapshotPoolOf(user).query('SELECT 1');
    const searches = Array.from({ length: 3 }, (_, n) =>
      as('b', 'heavy', () => read(`search ${n}`, () => database.query('SELECT 1'))),
    );
    const reads = [...searches, ...['b', 'c'].map((user) => read(`snapshot ${user}`, () => snapshot(user)))];
    // All reads share one connection, one after the other.
    await last.release();
    await Promise.all(reads);
    expect(order).toEqual(['search 0', 'snapshot b', 'snapshot c', 'search 1', 'search 2']);
    await holders.release();
  });

  it('counts a connection as heavy after 100 ms of one statement, and gives short work another connection', async () => {
    open();
    const gate = await Gate.close();
    const slow = Array.from({ length: 5 }, (_, n) => as(`slow-${n}`, 'short', () => database.query(Gate.sql)));
    await as('quick', 'short', () => database.query('SELECT 1'));
    const heavy = figuresOf('heavy').inUse;
    expect(heavy).toBeGreaterThan(0);
    expect(figuresOf('short').inUse).toBe(5 - heavy);
    await gate.open();
    await Promise.all(slow);
    expect(figuresOf('heavy').inUse).toBe(0);
  });

  it('does not give slow short work the connections in the share of heavy work', async () => {
    open({ max: 20 });
    const holders = new Holders();
    await Promise.all(['a', 'b', 'c', 'd'].map((user) => holders.take(1, user, 'heavy')));
    const gate = await Gate.close();
    const slow = Array.from({ length: 4 }, (_, n) => as(`slow-${n}`, 'short', () => database.query(Gate.sql)));
    const heavy = as('e', 'heavy', () => database.query('SELECT 1'));
    // Waits longer than the time after which a connection of short work counts as heavy.
    await database.background('test').query('SELECT pg_sleep(0.2)');
    await holders.release();
    await heavy;
    await gate.open();
    await Promise.all(slow);
  });

  it('provides further authentication connections while earlier connections wait for a lock', async () => {
    open({ max: 20 });
    const gate = await Gate.close();
    const slow = ['a', 'b'].map((user) => as(user, 'authentication', () => database.query(Gate.sql)));
    await database.authentication.query('SELECT 1');
    await gate.open();
    await Promise.all(slow);
    expect(figuresOf('authentication').inUse).toBe(0);
  });

  it('alternates credential lookups between addresses', async () => {
    open();
    const holders = new Holders();
    await holders.take(1, 'other', 'authentication');
    const order: string[] = [];
    const lookUp = (address: string) =>
      as(address, 'short', () => database.authentication.query('SELECT 1')).then(() => order.push(address));
    const lookups = Array.from({ length: 30 }, () => lookUp('busy'));
    lookups.push(lookUp('calm'));
    await holders.release();
    await Promise.all(lookups);
    expect(order.indexOf('calm')).toBeLessThan(3);
  });

  it('counts a reused connection as heavy even when another connection is released at the same time', async () => {
    open();
    const gate = await Gate.close();
    const [one, other] = await Promise.all([database.pool.connect(), database.pool.connect()]);
    other.release();
    const slow = database.pool.query(Gate.sql);
    one.release();
    const holders = new Holders();
    await holders.take(4, 'a', 'short');
    await as('b', 'short', () => database.query('SELECT 1'));
    await gate.open();
    await slow;
    await holders.release();
  });

  it('gives a user with slow statements at most half of the share of short work', async () => {
    open({ max: 20 });
    const gate = await Gate.close();
    const slow = Array.from({ length: 30 }, () => as('slow', 'short', () => database.query(Gate.sql)));
    await expect.poll(() => figuresOf('heavy').inUse).toBeGreaterThanOrEqual(10);
    await as('quick', 'short', () => database.query('SELECT 1'));
    expect(figuresOf('short').waiting).toBeGreaterThan(10);
    await gate.open();
    await Promise.all(slow);
  });

  it('limits short work of the service to its share while heavy work uses the heavy share', async () => {
    open();
    const holders = new Holders();
    await Promise.all(['a', 'b'].map((user) => holders.take(1, user, 'heavy')));
    await as('a', 'heavy', async () => {
      await database.shared.query('SELECT 1');
      await database.servicePool.query('SELECT 1');
      (await database.servicePool.connect()).release();
    });
    await holders.release();
  });

  it('allows each kind of work to use all connections of a small pool', async () => {
    open({ max: 2 });
    const holders = new Holders();
    await holders.take(2, 'a', 'short');
    await holders.release();
    await as('a', 'heavy', () => database.query('SELECT 1'));
  });
});

describe('statement that waits for a connection', () => {
  it('fails as unavailable after its maximum waiting time', async () => {
    open({ shortWaitMs: 30, heavyWaitMs: 60 });
    const holders = new Holders();
    await holders.take(5, 'a', 'short');
    await Promise.all(['b', 'c'].map((user) => holders.take(1, user, 'heavy')));
    const failures = await Promise.all(
      (['short', 'heavy'] as const).map((kind) => failureOf(as('d', kind, () => database.query('SELECT 1')))),
    );
    expect(failures).toEqual([expect.any(ConnectionWaitTimeoutError), expect.any(ConnectionWaitTimeoutError)]);
    expect(failures.map((failure) => convertErrorToDatabaseFault(failure)?.kind)).toEqual([
      'unavailable',
      'unavailable',
    ]);
    expect([figuresOf('short').expired, figuresOf('heavy').expired]).toEqual([1, 1]);
    await holders.release();
  });

  it.each([
    ['a read', () => database.query('SELECT 1')],
    ['a write', () => database.query('CREATE TABLE never (id int)')],
    ['a transaction', () => database.inTransaction((tx) => tx.query('CREATE TABLE never (id int)'))],
  ])('leaves the waiting queue when the client of %s disconnects', async (_name, work) => {
    open();
    const holders = new Holders();
    await holders.take(5, 'a', 'short');
    const disconnect = new TestDisconnect();
    const failure = failureOf(context.run({ work: { kind: 'short', user: 'b' }, disconnect }, work));
    await expect.poll(() => figuresOf('short').waiting).toBe(1);
    disconnect.trigger();
    expect(await failure).toBeInstanceOf(ClientDisconnectedError);
    expect([figuresOf('short').waiting, disconnect.listeners]).toEqual([0, 0]);
    await holders.release();
    const { rows } = await database.query("SELECT to_regclass('never') AS made");
    expect(rows).toEqual([{ made: null }]);
  });

  it('runs in the async context of its caller', async () => {
    open();
    const holders = new Holders();
    await holders.take(5, 'a', 'short');
    const seen = as('b', 'short', async () => {
      await database.pool.query('SELECT 1');
      return context.getStore()?.work.user;
    });
    const called = new Promise((resolve) => {
      as('c', 'short', () =>
        database.pool.connect((_error, _client, done) => {
          done();
          resolve(context.getStore()?.work.user);
        }),
      );
    });
    await holders.release();
    expect([await seen, await called]).toEqual(['b', 'c']);
  });

  it('receives the connection of another statement that failed', async () => {
    open();
    const holders = new Holders();
    await holders.take(4, 'a', 'short');
    const lost = failureOf(
      as('b', 'short', () => database.query('SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(1)')),
    );
    const next = as('c', 'short', () => database.query('SELECT 1'));
    expect(convertErrorToDatabaseFault(await lost)?.kind).toBe('unavailable');
    await next;
    await holders.release();
    expect(figuresOf('short')).toEqual({ inUse: 0, waiting: 0, expired: 0 });
  });
});
