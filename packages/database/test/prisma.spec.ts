import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PrismaPg } from '@prisma/adapter-pg';
import { isRetryable, translateDatabaseError } from '@switchboard/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../src/index.js';
import { createScratch, dropScratch, failureOf, type LogLine, openLogged } from './scratch-database.js';

interface Rows<Row> {
  create(args: { data: Row }): Promise<Row>;
  findMany(args: object): Promise<Row[]>;
  update(args: { where: object; data: Partial<Row> }): Promise<Row>;
}

/** The part of the generated client that these tests use; it does not exist before they run. */
interface Client {
  site: Rows<{ id: number; slug: string }>;
  rack: Rows<{ id: number; siteId: number }>;
  $transaction<T>(run: (tx: Client) => Promise<T>, options?: { isolationLevel: string }): Promise<T>;
  $queryRawUnsafe(sql: string): Promise<unknown>;
  $disconnect(): Promise<void>;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

let url: string;
let database: Database;
let lines: LogLine[];
let prisma: Client;

beforeAll(async () => {
  const generate = [here('../../../node_modules/prisma/build/index.js'), 'generate', '--schema', here('prisma-schema')];
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: here('../../../tools/schema-engine.mjs') };
  const generating = promisify(execFile)(process.execPath, generate, { env, timeout: 60_000 });
  generating.child.stdin?.end();
  await generating;
  const path = here('generated/prisma/client.ts');
  const generated: { PrismaClient: new (options: { adapter: PrismaPg }) => Client } = await import(path);

  url = await createScratch();
  ({ database, lines } = openLogged(url, { max: 3, slowQueryMs: 0, requestId: () => 'r-1' }));
  await database.pool.query(`
    CREATE TABLE site (id int PRIMARY KEY, slug varchar(4) NOT NULL CONSTRAINT site_slug_key UNIQUE);
    CREATE TABLE rack (id int PRIMARY KEY, site_id int NOT NULL CONSTRAINT rack_site_id_fkey REFERENCES site);
    INSERT INTO site VALUES (1, 'a');
  `);
  prisma = new generated.PrismaClient({ adapter: new PrismaPg(database.pool) });
});

afterAll(async () => {
  await prisma.$disconnect();
  await database.close();
  await dropScratch(url);
});

describe('Prisma client on the pool', () => {
  it('reads what SQL wrote and vice versa, over the same connections', async () => {
    await database.inTransaction((tx) => tx.query("INSERT INTO site VALUES (2, 'b')"));
    await prisma.site.create({ data: { id: 3, slug: 'c' } });
    expect(await prisma.site.findMany({ orderBy: { id: 'asc' } })).toHaveLength(3);
    expect((await database.query('SELECT id FROM site')).rowCount).toBe(3);
    expect((await database.query('SELECT 1 FROM pg_stat_activity WHERE datname = current_database()')).rowCount).toBe(
      database.pool.totalCount,
    );
  });

  it('logs slow queries with their request id', async () => {
    lines.length = 0;
    await prisma.site.findMany({});
    expect(lines).toEqual([
      expect.objectContaining({ message: 'Slow query', fields: expect.objectContaining({ requestId: 'r-1' }) }),
    ]);
    expect(Reflect.get(lines[0]?.fields ?? {}, 'sql')).toContain('"public"."site"');
  });

  it('leaves the pool open on disconnect', async () => {
    await prisma.$disconnect();
    await database.ping();
  });

  it.each([
    ['unique', () => prisma.site.create({ data: { id: 9, slug: 'a' } }), { constraint: 'site_slug_key' }],
    ['foreign_key', () => prisma.rack.create({ data: { id: 9, siteId: 99 } }), { constraint: 'rack_site_id_fkey' }],
    ['value', () => prisma.site.create({ data: { id: 9, slug: 'too long' } }), {}],
    ['not_found', () => prisma.site.update({ where: { id: 99 }, data: { slug: 'x' } }), {}],
    ['not_null', () => prisma.$queryRawUnsafe('INSERT INTO site VALUES (9, NULL)'), {}],
  ] as const)('throws errors of known kind: %s', async (kind, act, more) => {
    expect(translateDatabaseError(await failureOf(act()))).toMatchObject({ kind, ...more });
  });

  it('throws retryable errors for serialization failures', async () => {
    const failure = await failureOf(
      prisma.$transaction(
        async (tx) => {
          await tx.site.findMany({});
          await database.query("UPDATE site SET slug = 'z' WHERE id = 1");
          await tx.site.update({ where: { id: 1 }, data: { slug: 'y' } });
        },
        { isolationLevel: 'RepeatableRead' },
      ),
    );
    expect(isRetryable(failure)).toBe(true);
  });
});
