import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type QueueConnection, type QueuePool, type QueueTx, TooManyRegistrationsError } from '../src/index.js';
import { range, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { uniqueName } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let realm: string;
let begun: number;
let limitMs: number;
let asked: number;
let process: TestProcess;

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
});
beforeEach(async () => {
  realm = uniqueName();
  begun = 0;
  limitMs = 0;
  asked = 0;
  process = new TestProcess(countingPool(), uniqueName());
  await process.log.waitUntilStoreResponds();
});
afterEach(() => stopAll());
afterAll(() => drop());

/**
 * Returns a database pool that counts the snapshot transactions. The pool provides no connection while {@link limitMs}
 * is above 0.
 */
function countingPool(): QueuePool {
  const plain: QueuePool = pool;
  return {
    query: (sql, params) => plain.query(sql, params),
    async connect() {
      if (limitMs > 0) {
        asked += 1;
        await delay(limitMs);
        throw new Error('no connection');
      }
      const connection = await pool.connect();
      const counted: QueueConnection = connection;
      // A connection that a test ends emits an error; the following statement fails.
      const ignore = (): void => {};
      connection.on('error', ignore);
      return {
        query: (sql, params) => {
          if (sql.includes('REPEATABLE READ READ ONLY')) begun += 1;
          return counted.query(sql, params);
        },
        release: (broken) => {
          connection.off('error', ignore);
          connection.release(broken);
        },
      };
    },
  };
}

function register<T>(owner: number, snapshot: (tx: QueueTx) => Promise<T>, abandoned?: () => Error | undefined) {
  const options = { realm, owner: String(owner), idleTimeoutSeconds: 600, filter: {}, capabilities: {} };
  return process.log.register({ ...options, ...(abandoned && { abandoned }) }, snapshot);
}

it('EventLog.register shares snapshot transactions between concurrent registrations', async () => {
  const clients: TestClient[] = [];
  const writing = (async () => {
    for (const n of range(0, 40)) await process.change(realm, n);
  })();
  await Promise.all(range(0, 60).map(async (n) => clients.push(await TestClient.register(process, realm, String(n)))));
  await writing;
  await process.change(realm, 40);
  for (const client of clients) expect(await client.collect(process, 41)).toEqual(range(0, 41));
  expect(begun).toBeLessThan(30);
});

it('EventLog.register fails without affecting other registrations in the same snapshot transaction', async () => {
  const outcomes = await Promise.allSettled(
    range(0, 10).map((n) =>
      register(n, async (tx) => (await tx.query(n === 4 ? 'SELECT 1 / 0' : `SELECT ${n} AS n`)).rows),
    ),
  );
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(range(0, 10).map((n) => n !== 4));
});

it('EventLog.register rejects only one registration when its snapshot transaction loses the connection', async () => {
  const outcomes = await Promise.allSettled(
    range(0, 6).map((n) =>
      register(n, async (tx) => {
        if (n === 3) await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
        return (await tx.query(`SELECT ${n} AS n`)).rows;
      }),
    ),
  );
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(range(0, 6).map((n) => n !== 3));
});

it('EventLog.register skips the snapshot of a client that has disconnected', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const running = range(0, 2).map((n) => register(n, () => held));
  await expect.poll(() => begun).toBe(2);
  const read: number[] = [];
  const waiting = range(2, 5).map((n) =>
    register(
      n,
      async () => read.push(n),
      () => (n === 3 ? new Error('gone') : undefined),
    ),
  );
  const outcomes = Promise.allSettled(waiting);
  release();
  await Promise.all(running);
  expect((await outcomes).map(({ status }) => status === 'fulfilled')).toEqual([true, false, true]);
  expect(read.toSorted()).toEqual([2, 4]);
});

it('EventLog.register rejects all waiting registrations when the pool provides no connection in time', async () => {
  limitMs = 300;
  const registrations = range(0, 300).map((n) => register(n, () => Promise.resolve()));
  const outcomes = await Promise.allSettled(registrations);
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  expect(asked).toBeLessThan(8);
});

it('EventLog.register uses the pool of the owner whose snapshot is the first of the transaction', async () => {
  const owners: string[] = [];
  const counting = countingPool();
  const snapshotPoolOf = (owner: string): QueuePool => {
    owners.push(owner);
    return counting;
  };
  process = new TestProcess(pool, uniqueName(), { snapshotPoolOf });
  await process.log.waitUntilStoreResponds();
  await register(7, () => Promise.resolve());
  await register(8, () => Promise.resolve());
  // The end of a transaction may request another one for a registration that the next transaction also takes.
  expect([...new Set(owners)]).toEqual(['7', '8']);
});

it('EventLog.register rejects registrations above registrationCap', async () => {
  process = new TestProcess(countingPool(), uniqueName(), { registrationCap: 3 });
  await process.log.waitUntilStoreResponds();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const running = range(0, 3).map((n) => register(n, () => held));
  await expect(register(3, () => held)).rejects.toThrow(TooManyRegistrationsError);
  release();
  await Promise.all(running);
  await expect(register(3, () => held)).resolves.toMatchObject({ lastEventId: -1 });
});
