import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  defineOutboxMessage,
  EventLog,
  DeduplicationInbox,
  Outbox,
  QueueUsageError,
  type TransactionHandle,
} from '../src/index.js';
import { redisUrl, uniqueName, until } from './queue-test-support.js';

/** A transaction or savepoint of a third-party database library. */
export interface LibrarySession {
  /** Creates the transaction handle with the adapter under test. */
  handle(): Promise<TransactionHandle>;
  /** Inserts a row into the table `orders` with the database library itself. */
  insert(id: number): Promise<void>;
  /** Runs work in a savepoint. An error of the work rolls back to the savepoint. Absent in libraries without savepoints. */
  savepoint?(work: (inner: LibrarySession) => Promise<void>): Promise<void>;
}

/** A third-party database library with its adapter. */
export interface Library {
  /** Runs work in a transaction of the database library. An error of the work rolls back the transaction. */
  transact(work: (session: LibrarySession) => Promise<void>): Promise<void>;
  /** Creates a transaction handle with the adapter, outside a transaction. */
  handleOutside(): Promise<TransactionHandle>;
}

const topic = defineOutboxMessage({ name: 'test.orders', version: 1, payload: z.strictObject({ n: z.int() }) });
const keyed = defineOutboxMessage({
  name: 'test.keyed',
  version: 1,
  payload: z.strictObject({ n: z.int() }),
  order: 'key',
});

const rolledBack = new Error('rolled back');

/**
 * Returns the message of the error with which a promise rejects, together with the messages of the error's causes.
 * Returns an empty string if the promise is fulfilled.
 */
const messagesOf = async (failing: Promise<void>): Promise<string> => {
  const messages: string[] = [];
  let error: unknown = await failing.catch((reason: unknown) => reason);
  for (; error instanceof Error; error = error.cause) messages.push(error.message);
  return messages.join('; ');
};

/**
 * Declares the tests of the guarantees of a database library's adapter. The database has a table `orders` with a column
 * `id`.
 */
export function describeAdapter(name: string, pool: () => pg.Pool, library: () => Library): void {
  let outbox: Outbox;
  let log: EventLog;
  let dispatched: number[];

  beforeEach(async () => {
    await pool().query('TRUNCATE queue.outbox, queue.inbox, orders');
    const prefix = uniqueName();
    outbox = new Outbox({ pool: pool(), prefix, context: () => ({ requestId: 'the request' }) });
    log = new EventLog({ outbox, pool: pool(), redis: redisUrl, prefix, sweepMs: 60_000, collectMs: 0 });
    dispatched = [];
    for (const type of [topic, keyed]) {
      outbox.dispatch(type, async (rows) => void dispatched.push(...rows.map(({ payload }) => payload.n)));
    }
  });
  afterEach(async () => {
    await log.stop();
    await outbox.stop();
  });

  const listOrders = async (): Promise<number[]> =>
    (await pool().query<{ id: number }>('SELECT id FROM orders ORDER BY id')).rows.map(({ id }) => id);
  const countRows = async (table: string): Promise<number> => (await pool().query(`SELECT FROM ${table}`)).rows.length;

  /**
   * Commits a transaction with one outbox row, and checks that only the outbox rows with the given numbers were
   * dispatched.
   */
  async function expectOnly(numbers: number[]): Promise<void> {
    await until(async () => {
      await outbox.sweep();
      return dispatched.length >= numbers.length;
    });
    await library().transact(async (session) => {
      const tx = await session.handle();
      outbox.add(tx, topic, { n: 99 });
      await outbox.flush(tx);
    });
    await until(async () => {
      await outbox.sweep();
      return dispatched.includes(99);
    });
    expect(dispatched.toSorted((a, b) => a - b)).toEqual([...numbers, 99]);
    expect(await countRows('queue.commit_guard')).toBe(0);
  }

  describe(name, () => {
    it('dispatches the rows of a committed transaction', async () => {
      let handle: TransactionHandle | undefined;
      await library().transact(async (session) => {
        const tx = await session.handle();
        handle = tx;
        await session.insert(1);
        outbox.add(tx, topic, { n: 1 });
        outbox.add(tx, keyed, { n: 2 }, { key: 'a key' });
        outbox.add(tx, topic, { n: 3 }, { notBefore: new Date(Date.now() - 1_000) });
        log.write(tx, { realm: 'shop', audience: { all: true }, event: { type: 'order' } });
        await outbox.flush(tx);
      });
      outbox.dispatchAfterCommit(handle!);
      await until(() => dispatched.length === 3);
      expect([dispatched.toSorted(), await listOrders()]).toEqual([[1, 2, 3], [1]]);
    });

    it('discards the outbox rows of a transaction that is rolled back', async () => {
      const failed = library().transact(async (session) => {
        const tx = await session.handle();
        await session.insert(1);
        outbox.add(tx, topic, { n: 1 });
        await outbox.flush(tx);
        throw rolledBack;
      });
      await expect(failed).rejects.toThrow('rolled back');
      await expectOnly([]);
      expect(await listOrders()).toEqual([]);
    });

    it.each([1, 0])('refuses COMMIT of a transaction with %s outbox rows when the flush is missing', async (count) => {
      const unflushed = library().transact(async (session) => {
        const tx = await session.handle();
        await session.insert(1);
        if (count > 0) outbox.add(tx, topic, { n: 1 });
      });
      expect(await messagesOf(unflushed)).toContain('not flushed');
      expect([await listOrders(), await countRows('queue.outbox')]).toEqual([[], 0]);
      await expectOnly([]);
    });

    it('throws when rows are added or flushed again after a flush', async () => {
      await library().transact(async (session) => {
        const tx = await session.handle();
        outbox.add(tx, topic, { n: 1 });
        await outbox.flush(tx);
        expect(() => outbox.add(tx, topic, { n: 2 })).toThrow(QueueUsageError);
        await expect(outbox.flush(tx)).rejects.toThrow(QueueUsageError);
      });
      await expectOnly([1]);
    });

    it('refuses rows and a flush after the end of the transaction', async () => {
      let ended: TransactionHandle | undefined;
      const failed = library().transact(async (session) => {
        ended = await session.handle();
        outbox.add(ended, topic, { n: 1 });
        throw rolledBack;
      });
      await expect(failed).rejects.toThrow('rolled back');
      await expect(outbox.flush(ended!)).rejects.toThrow(Error);
      expect(() => outbox.add(ended!, topic, { n: 2 })).toThrow(QueueUsageError);
      await expectOnly([]);
    });

    it('rejects a connection without a transaction', async () => {
      await expect(library().handleOutside()).rejects.toThrow(QueueUsageError);
      expect(await countRows('queue.commit_guard')).toBe(0);
    });

    it('supports DeduplicationInbox.once', async () => {
      const inbox = new DeduplicationInbox({ pool: pool() });
      const receive = (id: number): Promise<void> =>
        library().transact(async (session) => {
          const tx = await session.handle();
          await inbox.once(tx, 'the delivery', () => session.insert(id));
          await outbox.flush(tx);
        });
      await receive(1);
      await receive(2);
      expect(await listOrders()).toEqual([1]);
    });
  });
}

/** Declares the tests of the guarantees of an adapter for the savepoints of a database library. */
export function describeSavepoints(name: string, pool: () => pg.Pool, library: () => Library): void {
  let outbox: Outbox;
  beforeEach(async () => {
    await pool().query('TRUNCATE queue.outbox, orders');
    outbox = new Outbox({ pool: pool(), prefix: uniqueName() });
  });
  afterEach(() => outbox.stop());

  const listStored = async (): Promise<number[]> =>
    (await pool().query<{ n: number }>(`SELECT (payload->>'n')::int AS n FROM queue.outbox ORDER BY 1`)).rows.map(
      ({ n }) => n,
    );

  describe(`${name} in a savepoint`, () => {
    it.each(['before', 'after'])('drops the rows of a savepoint that is rolled back %s its flush', async (when) => {
      await library().transact(async (session) => {
        const tx = await session.handle();
        outbox.add(tx, topic, { n: 1 });
        const failed = session.savepoint!(async (inner) => {
          const innerTx = await inner.handle();
          await inner.insert(2);
          outbox.add(innerTx, topic, { n: 2 });
          if (when === 'after') await outbox.flush(innerTx);
          throw rolledBack;
        });
        await expect(failed).rejects.toThrow('rolled back');
        await outbox.flush(tx);
      });
      expect(await listStored()).toEqual([1]);
    });

    it('stores the rows of a released savepoint with the transaction', async () => {
      await library().transact(async (session) => {
        const tx = await session.handle();
        outbox.add(tx, topic, { n: 1 });
        await session.savepoint!(async (inner) => {
          const innerTx = await inner.handle();
          outbox.add(innerTx, topic, { n: 2 });
          await outbox.flush(innerTx);
        });
        await outbox.flush(tx);
      });
      expect(await listStored()).toEqual([1, 2]);
    });

    it('refuses COMMIT when the handle of a released savepoint was not flushed', async () => {
      const unflushed = library().transact(async (session) => {
        const tx = await session.handle();
        await session.savepoint!(async (inner) => {
          outbox.add(await inner.handle(), topic, { n: 2 });
        });
        await outbox.flush(tx);
      });
      expect(await messagesOf(unflushed)).toContain('not flushed');
      expect(await listStored()).toEqual([]);
    });

    it('refuses the flush of a handle whose savepoint was rolled back', async () => {
      await library().transact(async (session) => {
        let innerTx: TransactionHandle | undefined;
        const failed = session.savepoint!(async (inner) => {
          innerTx = await inner.handle();
          outbox.add(innerTx, topic, { n: 2 });
          throw rolledBack;
        });
        await expect(failed).rejects.toThrow('rolled back');
        await expect(outbox.flush(innerTx!)).rejects.toThrow(Error);
      });
      expect(await listStored()).toEqual([]);
    });
  });
}
