import { AsyncLocalStorage } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PrismaPg } from '@prisma/adapter-pg';
import { isRetryableTransactionError, convertErrorToDatabaseFault } from '@switchboard/errors';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Database,
  NestedTransactionError,
  type PrismaClientOpener,
  type Tx,
  TransactionAbortedError,
  TransactionClosedError,
} from '../src/index.js';
import { TestDisconnect } from './test-disconnect.js';
import {
  createScratchDatabase,
  dropScratchDatabase,
  failureOf,
  type LogLine,
  openWithLog,
} from './temporary-database.js';

interface Rows<Row> {
  create(args: { data: Partial<Row> }): Promise<Row>;
  createMany(args: { data: Partial<Row>[] }): Promise<{ count: number }>;
  findMany(args?: object): Promise<Row[]>;
  findUnique(args: { where: object }): Promise<Row | null>;
  update(args: { where: object; data: object }): Promise<Row>;
}

interface Site {
  id: number;
  slug: string;
  seenAt: Date | null;
}

/**
 * Part of the generated Prisma client that these tests use. The types of the client do not exist before the client is
 * generated.
 */
interface Client {
  site: Rows<Site>;
  rack: Rows<{ id: number; siteId: number }>;
  $queryRawUnsafe(sql: string): Promise<unknown>;
}

interface RootClient extends Client {
  $transaction<T>(run: (tx: Client) => Promise<T>, options: object): Promise<T>;
  $disconnect(): Promise<void>;
}

const pathFromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));

let url: string;
let database: Database<Client>;
let lines: LogLine[];
let opened: number;
const request = new AsyncLocalStorage<TestDisconnect>();
let root: RootClient | undefined;

const prisma: PrismaClientOpener<Client> = async (bindAdapter) => {
  opened += 1;
  const path = pathFromHere('generated/prisma/client.ts');
  const generated: { PrismaClient: new (options: { adapter: PrismaPg }) => RootClient } = await import(path);
  return (root = new generated.PrismaClient({ adapter: bindAdapter(PrismaPg) }));
};

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

  url = await createScratchDatabase();
  opened = 0;
  ({ database, lines } = openWithLog<Client>(url, {
    max: 8,
    slowQueryMs: 0,
    // A hundred transactions wait for eight connections; the limit suits a slow machine.
    shortWaitMs: 120_000,
    requestId: () => 'r-1',
    disconnect: () => request.getStore(),
    prisma,
  }));
  await database.pool.query(`
    CREATE TABLE site (id int PRIMARY KEY, slug varchar(4) NOT NULL CONSTRAINT site_slug_key UNIQUE,
      seen_at timestamptz(3));
    CREATE TABLE rack (id int PRIMARY KEY, site_id int NOT NULL CONSTRAINT rack_site_id_fkey REFERENCES site);
  `);
});

beforeEach(async () => {
  await database.query("TRUNCATE site, rack; INSERT INTO site VALUES (1, 'a')");
});

afterAll(async () => {
  await database.close();
  await dropScratchDatabase(url);
});

const slugs = async (): Promise<string> =>
  (await database.query<{ slug: string }>('SELECT slug FROM site ORDER BY id')).rows.map(({ slug }) => slug).join();

describe('Database.prisma', () => {
  it('creates one client when the property is used for the first time', async () => {
    await Promise.all([
      database.prisma.site.findMany({}),
      database.prisma.site.findMany({}),
      database.inTransaction((tx) => tx.prisma.site.findMany({})),
    ]);
    expect(opened).toBe(1);
  });

  it('reads over the connections of the pool', async () => {
    await database.inTransaction((tx) => tx.query("INSERT INTO site VALUES (2, 'b')"));
    expect(await database.prisma.site.findMany({ orderBy: { id: 'asc' } })).toHaveLength(2);
    const { rowCount } = await database.query('SELECT 1 FROM pg_stat_activity WHERE datname = current_database()');
    expect(rowCount).toBe(database.pool.totalCount);
  });

  it('logs slow queries with the id of their request', async () => {
    lines.length = 0;
    await database.prisma.site.findMany({});
    expect(lines).toEqual([
      expect.objectContaining({ message: 'slow query', fields: expect.objectContaining({ requestId: 'r-1' }) }),
    ]);
    expect(Reflect.get(lines[0]?.fields ?? {}, 'sql')).toContain('"public"."site"');
  });

  it('throws for every write, also for methods that TypeScript hides', async () => {
    const reads = database.prisma as unknown as Client;
    await expect(reads.site.create({ data: { id: 2, slug: 'b' } })).rejects.toThrow('needs a transaction');
    await expect(reads.$queryRawUnsafe('DELETE FROM site')).rejects.toThrow('needs a transaction');
    await expect(root?.$transaction(async () => undefined, {})).rejects.toThrow('inTransaction');
    expect(await slugs()).toBe('a');
  });

  it('cancels only the statement of the request whose client disconnects, and no other statement', async () => {
    const disconnect = new TestDisconnect();
    const locker = await database.pool.connect();
    await locker.query('BEGIN; LOCK TABLE site');
    const cancelled = failureOf(request.run(disconnect, () => database.prisma.site.findMany({})));
    const other = request.run(new TestDisconnect(), () => database.prisma.site.findMany({}));
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await locker.query(waiting)).rows.length, { timeout: 10_000 }).toBe(2);
    disconnect.trigger();
    expect(convertErrorToDatabaseFault(await cancelled)?.kind).toBe('timeout');
    await locker.query('ROLLBACK');
    locker.release();
    expect(await other).toHaveLength(1);
  });

  it('throws without the option prisma', async () => {
    const { database: plain } = openWithLog(url);
    const reads = plain.prisma as unknown as Client;
    await expect(reads.site.findMany({})).rejects.toThrow('without the option prisma');
    await plain.close();
  });
});

describe('Tx.prisma', () => {
  const mixed = async (tx: Tx<Client>): Promise<number> => {
    await tx.prisma.site.create({ data: { id: 2, slug: 'b' } });
    await tx.query("UPDATE site SET slug = 'b2' WHERE id = 2");
    await tx.prisma.rack.createMany({ data: [{ id: 1, siteId: 2 }] });
    const sites = await tx.prisma.site.findMany({ where: { slug: 'b2' } });
    return sites.length;
  };

  it('commits together with SQL statements of the transaction, and both see changes of each other', async () => {
    expect(await database.inTransaction(mixed)).toBe(1);
    expect(await slugs()).toBe('a,b2');
  });

  it('rolls back with the statements of the transaction', async () => {
    const failed = database.inTransaction(async (tx) => {
      await mixed(tx);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await slugs()).toBe('a');
  });

  it('sends no BEGIN, COMMIT or SAVEPOINT in addition to those of the transaction', async () => {
    await database.inTransaction(mixed);
    lines.length = 0;
    await database.inTransaction(async (tx) => {
      await tx.prisma.site.create({ data: { id: 3, slug: 'c' } });
    });
    const sent = lines.map(({ fields }) => String(Reflect.get(fields, 'sql')).split(' ', 1)[0]);
    expect(sent.filter((word) => word !== 'BEGIN' && word !== 'COMMIT')).toEqual(['INSERT']);
    expect(sent.filter((word) => word === 'BEGIN').length).toBeLessThanOrEqual(1);
  });

  it('throws for a nested transaction, of Prisma or of the database', async () => {
    const nested = database.inTransaction((tx) => (tx.prisma as RootClient).$transaction(async () => undefined, {}));
    await expect(nested).rejects.toThrow(NestedTransactionError);
    await expect(database.inTransaction(() => database.inTransaction(mixed))).rejects.toThrow(NestedTransactionError);
  });

  it('throws for queries after the end of the transaction', async () => {
    let kept: Tx<Client> | undefined;
    await database.inTransaction(async (tx) => {
      kept = tx;
      await tx.prisma.site.findMany({});
    });
    await expect(kept?.prisma.site.findMany({})).rejects.toThrow(TransactionClosedError);
    const failed = database.inTransaction(async (tx) => {
      kept = tx;
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    await expect(kept?.prisma.site.findMany({})).rejects.toThrow(TransactionClosedError);
  });

  it('rolls the transaction back when the function swallows the error of a query', async () => {
    const swallowed = database.inTransaction(async (tx) => {
      await tx.query("INSERT INTO site VALUES (2, 'b')");
      await tx.prisma.site.create({ data: { id: 1, slug: 'x' } }).catch(() => undefined);
    });
    await expect(swallowed).rejects.toThrow(TransactionAbortedError);
    expect(await slugs()).toBe('a');
  });

  it(
    'returns to each transaction its own rows when 100 transactions run concurrently and half of them fail',
    { timeout: 60_000 },
    async () => {
      const run = (n: number) =>
        database.inTransaction(async (tx) => {
          const data = { id: 1000 + n, slug: n % 2 === 0 ? `s${n}` : 'a' };
          const [made, found] = await Promise.allSettled([
            tx.prisma.site.create({ data }),
            tx.prisma.site.findUnique({ where: { id: 1 } }),
          ]);
          if (made.status === 'rejected') throw made.reason;
          if (found.status === 'rejected') throw found.reason;
          const own = await tx.prisma.site.findUnique({ where: { id: data.id } });
          return [made.value.id, found.value?.id, own?.slug];
        });
      const outcomes = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => run(n)));
      for (const [n, outcome] of outcomes.entries()) {
        if (n % 2 === 0) expect(outcome).toEqual({ status: 'fulfilled', value: [1000 + n, 1, `s${n}`] });
        else expect(outcome.status === 'rejected' && convertErrorToDatabaseFault(outcome.reason)?.kind).toBe('unique');
      }
      expect(await database.prisma.site.findMany({})).toHaveLength(51);
    },
  );

  it('writes and reads times exactly in a session with another time zone', async () => {
    const seenAt = new Date('2026-07-01T10:20:30.456Z');
    await database.inTransaction(async (tx) => {
      await tx.query("SET LOCAL timezone = 'Asia/Kathmandu'");
      await tx.prisma.site.update({ where: { id: 1 }, data: { seenAt } });
      const where = { seenAt: { gte: seenAt, lte: seenAt } };
      expect(await tx.prisma.site.findMany({ where })).toEqual([{ id: 1, slug: 'a', seenAt }]);
    });
    const { rows } = await database.query<{ seen_at: Date }>('SELECT seen_at FROM site');
    expect(rows).toEqual([{ seen_at: seenAt }]);
  });

  it.each<[string, (client: Client) => Promise<unknown>, object]>([
    ['unique', (client) => client.site.create({ data: { id: 9, slug: 'a' } }), { constraint: 'site_slug_key' }],
    [
      'foreign_key',
      (client) => client.rack.create({ data: { id: 9, siteId: 99 } }),
      { constraint: 'rack_site_id_fkey' },
    ],
    ['value', (client) => client.site.create({ data: { id: 9, slug: 'too long' } }), {}],
    ['not_found', (client) => client.site.update({ where: { id: 99 }, data: { slug: 'x' } }), {}],
    ['not_null', (client) => client.$queryRawUnsafe('INSERT INTO site VALUES (9, NULL)'), {}],
  ])('throws an error that translateDatabaseError maps to %s', async (kind, act, more) => {
    const failure = await failureOf(database.inTransaction((tx) => act(tx.prisma)));
    expect(convertErrorToDatabaseFault(failure)).toMatchObject({ kind, ...more });
  });

  it('throws an error that convertErrorToDatabaseFault maps to timeout at the time limit', async () => {
    const failure = await failureOf(
      database.inTransaction(async (tx) => {
        await tx.query("SET LOCAL statement_timeout = '20ms'");
        await tx.prisma.$queryRawUnsafe('SELECT 1 FROM pg_sleep(10)');
      }),
    );
    expect(convertErrorToDatabaseFault(failure)?.kind).toBe('timeout');
  });

  it('runs the transaction again after a serialization failure', async () => {
    let runs = 0;
    await database.inTransaction(
      async (tx) => {
        runs += 1;
        await tx.prisma.site.findMany({});
        if (runs === 1) await database.query("UPDATE site SET slug = 'z' WHERE id = 1");
        await tx.prisma.site.update({ where: { id: 1 }, data: { slug: 'y' } });
      },
      { isolation: 'repeatable read' },
    );
    expect([runs, await slugs()]).toEqual([2, 'y']);
    expect(isRetryableTransactionError(new Error('another'))).toBe(false);
  });
});
