import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { hashFoldersContent, openTestDatabase, openTestRedis, type TestDatabase } from '../src/index.js';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('openTestDatabase', () => {
  const made: TestDatabase[] = [];
  afterEach(() => Promise.all(made.splice(0).map((database) => database.release())));

  async function clone(hash: string, prepare: (url: string) => Promise<void>): Promise<TestDatabase> {
    const database = await openTestDatabase({ name: 'testing', hash, prepare });
    made.push(database);
    return database;
  }

  it('prepares the template once for concurrent callers, and returns a copy to each', async () => {
    const hash = randomUUID();
    let prepared = 0;
    const prepare = async (url: string): Promise<void> => {
      prepared++;
      await query(url, 'CREATE TABLE t AS SELECT 7 AS n');
    };
    const [a, b] = await Promise.all([clone(hash, prepare), clone(hash, prepare)]);
    await query(a.url, 'DELETE FROM t');
    expect(prepared).toBe(1);
    expect(await query(b.url, 'SELECT n FROM t')).toEqual([{ n: 7 }]);
  });

  it('prepares the template again for another hash, and after a failed preparation', async () => {
    const hash = randomUUID();
    const failing = clone(hash, () => Promise.reject(new Error('bad migration')));
    await expect(failing).rejects.toThrow('bad migration');
    const a = await clone(hash, (url) => query(url, 'CREATE TABLE a()').then(() => undefined));
    const b = await clone(randomUUID(), (url) => query(url, 'CREATE TABLE b()').then(() => undefined));
    const tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'";
    expect(await query(a.url, tables)).toEqual([{ table_name: 'a' }]);
    expect(await query(b.url, tables)).toEqual([{ table_name: 'b' }]);
  });

  describe('database that a test has returned', () => {
    const rows = 'SELECT n, of_t FROM t LEFT JOIN u ON of_t = n ORDER BY n';
    const hash = randomUUID();
    const prepare = (url: string): Promise<void> =>
      query(
        url,
        `CREATE TABLE t (n int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, twice int GENERATED ALWAYS AS (n * 2) STORED);
         CREATE TABLE u (of_t int REFERENCES t, CHECK (of_t < 100));
         CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no row of u goes'; END $$;
         CREATE TRIGGER stays BEFORE DELETE ON u FOR EACH ROW EXECUTE FUNCTION refuse();
         CREATE SEQUENCE untouched;
         INSERT INTO t DEFAULT VALUES; INSERT INTO u VALUES (1);`,
      ).then(() => undefined);

    it('equals the template when another test uses the database: rows, sequences, generated columns', async () => {
      const first = await clone(hash, prepare);
      await query(first.url, `INSERT INTO t DEFAULT VALUES; INSERT INTO u VALUES (2); SELECT nextval('untouched')`);
      await made.pop()?.release();
      const second = await clone(hash, prepare);
      expect(second.url).toBe(first.url);
      expect(await query(second.url, rows)).toEqual([{ n: 1, of_t: 1 }]);
      expect(await query(second.url, 'INSERT INTO t DEFAULT VALUES RETURNING n, twice')).toEqual([{ n: 2, twice: 4 }]);
      expect(await query(second.url, "SELECT nextval('untouched')::int AS n")).toEqual([{ n: 1 }]);
    });

    it.each([
      'ALTER TABLE u ADD COLUMN more int',
      'DROP TRIGGER stays ON u',
      'ALTER TABLE u DISABLE TRIGGER stays',
      'CREATE INDEX ON u (of_t)',
      'ALTER TABLE u ALTER COLUMN of_t SET NOT NULL',
      'CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$',
    ])('cannot be used again after %s', async (change) => {
      const first = await clone(hash, prepare);
      await query(first.url, change);
      await made.pop()?.release();
      const second = await clone(hash, prepare);
      expect(second.url).not.toBe(first.url);
      await expect(query(first.url, 'SELECT 1')).rejects.toThrow('does not exist');
    });

    it('cannot be used again while connections to it are open, or by a test that requests an unused database', async () => {
      const first = await clone(hash, prepare);
      const client = new pg.Client({ connectionString: first.url });
      client.on('error', () => undefined);
      await client.connect();
      await made.pop()?.release();
      const second = await clone(hash, prepare);
      expect(second.url).not.toBe(first.url);
      await client.end();
      await made.pop()?.release();
      const third = await openTestDatabase({ name: 'testing', hash, prepare, unused: true });
      made.push(third);
      expect(third.url).not.toBe(second.url);
    });
  });
});

describe('openTestRedis', () => {
  it('deletes only the keys with its prefix', async () => {
    const mine = openTestRedis();
    const other = openTestRedis();
    const redis = new Redis(mine.url);
    await redis.mset({ [`${mine.prefix}a`]: '1', [`{${mine.prefix}tag}b`]: '1', [`${other.prefix}a`]: '1' });
    await mine.cleanup();
    expect(await redis.exists(`${mine.prefix}a`, `{${mine.prefix}tag}b`)).toBe(0);
    expect(await redis.exists(`${other.prefix}a`)).toBe(1);
    await other.cleanup();
    redis.disconnect();
  });
});

describe('hashFoldersContent', () => {
  it('changes only when names or contents of files change', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hash-'));
    try {
      await writeFile(join(folder, 'a.sql'), 'one');
      const first = await hashFoldersContent(folder);
      expect(await hashFoldersContent(folder)).toBe(first);
      await writeFile(join(folder, 'a.sql'), 'two');
      expect(await hashFoldersContent(folder)).not.toBe(first);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
