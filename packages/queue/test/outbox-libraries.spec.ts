import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PrismaPg } from '@prisma/adapter-pg';
import { createDatabase, type Database, type PrismaClientOpener, type Tx } from '@switchboard/database';
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, pgTable } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  defineOutboxMessage,
  EventLog,
  fromPrisma,
  Outbox,
  QueueUsageError,
  transactionHandle,
  withOutbox,
  type QueueTx,
  type TransactionHandle,
} from '../src/index.js';
import { describeAdapter, type Library } from './describe-adapter.js';
import { redisUrl, testPool, uniqueName, until } from './queue-test-support.js';

const topic = defineOutboxMessage({ name: 'test.orders', version: 1, payload: z.strictObject({ n: z.int() }) });
const orders = pgTable('orders', { id: integer().primaryKey() });
const pathFromHere = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * The part of the generated Prisma client that these tests use. The generated types do not exist before the client is
 * generated.
 */
interface PrismaTx {
  order: { create(args: { data: { id: number } }): Promise<unknown> };
  $queryRawUnsafe<T>(sql: string, ...params: unknown[]): Promise<T>;
}
interface Prisma extends PrismaTx {
  $transaction<T>(run: (tx: PrismaTx) => Promise<T>): Promise<T>;
  $disconnect(): Promise<void>;
}

let pool: pg.Pool;
let drop: () => Promise<void>;
let PrismaClient: new (options: { adapter: PrismaPg }) => Prisma;
let prisma: Prisma;
let outbox: Outbox;
let log: EventLog;
let dispatched: number[];

beforeAll(async () => {
  const generate = [
    pathFromHere('../../../node_modules/prisma/build/index.js'),
    'generate',
    '--schema',
    pathFromHere('prisma-schema'),
  ];
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: pathFromHere('../../../tools/schema-engine.mjs') };
  const generating = promisify(execFile)(process.execPath, generate, { env, timeout: 60_000 });
  generating.child.stdin?.end();
  await generating;
  const generated: { PrismaClient: typeof PrismaClient } = await import(pathFromHere('generated/prisma/client.ts'));
  ({ PrismaClient } = generated);
  ({ pool, drop } = await testPool());
  await pool.query('CREATE TABLE orders (id int PRIMARY KEY)');
  prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
});
beforeEach(async () => {
  await pool.query('TRUNCATE queue.outbox, orders');
  const prefix = uniqueName();
  outbox = new Outbox({ pool, prefix });
  log = new EventLog({ outbox, pool, redis: redisUrl, prefix, sweepMs: 60_000, collectMs: 0 });
  dispatched = [];
  outbox.dispatch(topic, async (rows) => void dispatched.push(...rows.map(({ payload }) => payload.n)));
});
afterEach(async () => {
  await log.stop();
  await outbox.stop();
});
afterAll(async () => {
  await prisma.$disconnect();
  await drop();
});

const countStoredRows = async (): Promise<number> => (await pool.query('SELECT FROM queue.outbox')).rows.length;

/** Adds an outbox row and an event log entry with the number `n` to a transaction. */
function record(tx: TransactionHandle, n: number): void {
  outbox.add(tx, topic, { n });
  log.write(tx, { realm: 'shop', audience: { all: true }, event: { type: 'order', n } });
}

/**
 * Checks that only the outbox row and the log event with number `n` were dispatched, which belong to the committed
 * transaction.
 */
async function expectOnly(n: number): Promise<void> {
  await until(() => dispatched.length > 0);
  expect(dispatched).toEqual([n]);
  const { rows } = await pool.query<{ n: number }>(
    `SELECT (payload->'event'->>'n')::int AS n FROM queue.outbox WHERE topic = 'event-log'`,
  );
  expect(rows).toEqual([{ n }]);
}

describe('Outbox.begin on a client of pg', () => {
  it.each(['rollback()', "query('ROLLBACK')"])('discards the rows of a transaction that %s ended', async (end) => {
    const client = await pool.connect();
    try {
      const first = await outbox.begin(client);
      record(first, 1);
      await (end === 'rollback()' ? first.rollback() : first.query('ROLLBACK'));
      const second = await outbox.begin(client);
      record(second, 2);
      await outbox.flush(second);
      await second.commit();
    } finally {
      client.release();
    }
    await expectOnly(2);
  });

  it('drops flushed rows with a transaction that is rolled back', async () => {
    const client = await pool.connect();
    const tx = await outbox.begin(client);
    record(tx, 1);
    await outbox.flush(tx);
    await tx.rollback();
    client.release();
    expect([await countStoredRows(), dispatched]).toEqual([0, []]);
  });

  it.each(['commit()', "query('COMMIT')"])('rolls back and throws at %s when flush was not called', async (end) => {
    const client = await pool.connect();
    const tx = await outbox.begin(client);
    await tx.query('INSERT INTO orders VALUES (1)');
    record(tx, 1);
    const ended = end === 'commit()' ? tx.commit() : tx.query('COMMIT');
    await expect(ended).rejects.toThrow(QueueUsageError);
    client.release();
    expect((await pool.query('SELECT FROM orders')).rows).toEqual([]);
    expect(tx.isOpen).toBe(false);
  });

  it('throws at commit when PostgreSQL rolled back because the caller ignored the error of a statement', async () => {
    const client = await pool.connect();
    const tx = await outbox.begin(client);
    record(tx, 1);
    await outbox.flush(tx);
    await tx.query('SELECT 1 / 0').catch(() => {});
    await expect(tx.commit()).rejects.toThrow(QueueUsageError);
    client.release();
    expect([await countStoredRows(), dispatched]).toEqual([0, []]);
  });

  it('rejects a pool, a nested transaction, and statements that start or chain transactions', async () => {
    await expect(outbox.begin(pool)).rejects.toThrow(QueueUsageError);
    const client = await pool.connect();
    const tx = await outbox.begin(client);
    await expect(outbox.begin(client)).rejects.toThrow(QueueUsageError);
    for (const sql of ['BEGIN', 'COMMIT AND CHAIN', "PREPARE TRANSACTION 'x'"]) {
      await expect(tx.query(sql)).rejects.toThrow(QueueUsageError);
    }
    await tx.query('SAVEPOINT here');
    await tx.query('ROLLBACK TO SAVEPOINT here');
    expect(tx.isOpen).toBe(true);
    await tx.rollback();
    client.release();
  });
});

describe('Outbox.add, Outbox.flush and EventLog.write', () => {
  it('reject a client, a pool and a Database with a usage error', async () => {
    const client = await pool.connect();
    const database = open();
    for (const target of [client, pool, database] as QueueTx[]) {
      const claimed = target as TransactionHandle;
      expect(() => outbox.add(claimed, topic, { n: 1 })).toThrow(QueueUsageError);
      expect(() => record(claimed, 1)).toThrow(QueueUsageError);
      expect(() => transactionHandle(target)).toThrow('outbox.begin(client)');
      await expect(outbox.flush(claimed)).rejects.toThrow(QueueUsageError);
    }
    client.release();
    await database.close();
  });

  it('reject a transaction that has ended', async () => {
    let ended: TransactionHandle | undefined;
    await withOutbox(pool, outbox, async (tx) => void (ended = tx));
    expect(() => record(ended!, 1)).toThrow(QueueUsageError);
    await expect(outbox.flush(ended!)).rejects.toThrow(QueueUsageError);
  });
});

describe('withOutbox', () => {
  it('discards the rows of a transaction whose function throws', async () => {
    const failed = withOutbox(pool, outbox, async (tx) => {
      record(tx, 1);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    await withOutbox(pool, outbox, async (tx) => record(tx, 2));
    await expectOnly(2);
  });
});

function open<Client = unknown>(
  beforeCommit?: (tx: TransactionHandle) => Promise<void>,
  openPrisma?: PrismaClientOpener<Client>,
): Database<Client> {
  const logger = { warn: () => {}, error: () => {} };
  return createDatabase<Client>({
    url: pool.options.connectionString ?? '',
    applicationName: 'outbox test',
    slowQueryMs: 10_000,
    logger,
    ...(beforeCommit && { beforeCommit }),
    ...(openPrisma && { prisma: openPrisma }),
    afterCommit: (tx) => outbox.dispatchAfterCommit(tx),
  });
}

describe('Database.inTransaction', () => {
  const work = async (tx: Tx): Promise<void> => {
    await tx.query('INSERT INTO orders VALUES (1)');
    record(transactionHandle(tx), 1);
  };

  it('passes a transaction handle whose rows are stored with the commit', async () => {
    const database = open((tx) => outbox.flush(tx));
    const failed = database.inTransaction(async (tx) => {
      await work(tx);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    await database.inTransaction(work);
    await expectOnly(1);
    await database.close();
  });

  it('stores rows with keys, after a separate statement that locks the keys', async () => {
    const keyed = defineOutboxMessage({ name: 'keyed', version: 1, payload: z.strictObject({}), order: 'key' });
    const database = open((tx) => outbox.flush(tx));
    await database.inTransaction(async (tx) => {
      await tx.query('INSERT INTO orders VALUES (1)');
      outbox.add(transactionHandle(tx), keyed, {}, { key: 'one' });
    });
    expect((await pool.query('SELECT FROM orders')).rows).toHaveLength(1);
    expect((await pool.query("SELECT FROM queue.outbox WHERE topic = 'keyed'")).rows).toHaveLength(1);
    await database.close();
  });

  it.each<[string, ((tx: TransactionHandle) => Promise<void>) | undefined]>([
    ['is not configured', undefined],
    ['flushes another handle', (tx) => new Outbox({ pool }).flush(tx)],
    ['sends a statement instead', async (tx) => void (await tx.query('SELECT 1'))],
  ])('rolls back and throws when beforeCommit %s', async (_name, beforeCommit) => {
    const database = open(beforeCommit);
    await expect(database.inTransaction(work)).rejects.toThrow(QueueUsageError);
    const finishing = database.inTransaction(async (tx) => {
      await work(tx);
      await tx.finish('INSERT INTO orders VALUES (2)');
    });
    await expect(finishing).rejects.toThrow(QueueUsageError);
    expect((await pool.query('SELECT FROM orders')).rows).toEqual([]);
    await database.close();
  });
});

describe('Tx.prisma', () => {
  it('ends together with SQL, an outbox row and an event', async () => {
    const database = open<PrismaTx>(
      (tx) => outbox.flush(tx),
      async (bindAdapter) => new PrismaClient({ adapter: bindAdapter(PrismaPg) }),
    );
    const order = async (n: number): Promise<void> => {
      await database.inTransaction(async (tx) => {
        await tx.prisma.order.create({ data: { id: n } });
        await tx.query('INSERT INTO orders VALUES ($1)', [n + 10]);
        record(transactionHandle(tx), n);
        if (n === 1) throw new Error('rolled back');
      });
    };
    await expect(order(1)).rejects.toThrow('rolled back');
    expect([(await pool.query('SELECT FROM orders')).rows.length, await countStoredRows()]).toEqual([0, 0]);
    await order(2);
    expect((await pool.query('SELECT id FROM orders ORDER BY id')).rows).toEqual([{ id: 2 }, { id: 12 }]);
    await expectOnly(2);
    await database.close();
  });
});

describe('Drizzle on a client of Outbox.begin', () => {
  it('stores rows with the commit, and none after a rollback', async () => {
    const client = await pool.connect();
    const db = drizzle({ client });
    const first = await outbox.begin(client);
    await db.insert(orders).values({ id: 1 });
    record(first, 1);
    await outbox.flush(first);
    await first.rollback();
    const second = await outbox.begin(client);
    await db.insert(orders).values({ id: 2 });
    record(second, 2);
    await outbox.flush(second);
    await second.commit();
    expect(await db.select().from(orders)).toEqual([{ id: 2 }]);
    client.release();
    await expectOnly(2);
  });
});

const prismaLibrary: Library = {
  transact: (work) =>
    prisma.$transaction((client) =>
      work({
        handle: () => fromPrisma(client),
        insert: async (id) => void (await client.order.create({ data: { id } })),
      }),
    ),
  handleOutside: () => fromPrisma(prisma),
};

describeAdapter(
  'fromPrisma',
  () => pool,
  () => prismaLibrary,
);

it('Outbox.add rejects the client of an interactive transaction of Prisma', async () => {
  const refused = prisma.$transaction(async (client) => record(client as unknown as TransactionHandle, 1));
  await expect(refused).rejects.toThrow(QueueUsageError);
});
