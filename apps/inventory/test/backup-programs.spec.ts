import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackedUpService, createBackup, restoreBackup } from '@switchboard/database';
import { reportUnregisteredTest } from '@switchboard/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const server = process.env['TEST_POSTGRES_URL'] ?? '';
const title = 'restoreBackup with the PostgreSQL client of this machine';

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Returns true if the PostgreSQL client programs on the PATH are at least as new as the database server. */
async function hasClient(): Promise<boolean> {
  const majors = ['pg_dump', 'pg_restore', 'psql'].map((program) => {
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    return Number(/\(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
  });
  const [row] = await query<{ major: number }>(
    server,
    "SELECT current_setting('server_version_num')::int / 10000 AS major",
  );
  return Math.min(...majors) >= (row?.major ?? 0);
}

const isRegistered = await hasClient();
if (!isRegistered) reportUnregisteredTest(title);

const tablesSql = `
  CREATE TABLE _prisma_migrations (migration_name text, checksum text, logs text, started_at timestamptz,
    finished_at timestamptz, rolled_back_at timestamptz);
  INSERT INTO _prisma_migrations VALUES ('20260101000000_first', '', NULL, now(), now(), NULL);
  CREATE EXTENSION pg_trgm;
  CREATE TYPE kind AS ENUM ('a', 'b');
  CREATE SCHEMA parts;
  CREATE TABLE notes (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind kind, text text);
  CREATE INDEX notes_text_idx ON notes USING gin (text gin_trgm_ops);
  CREATE TABLE parts.links (note_id int REFERENCES notes, data bytea);
  CREATE STATISTICS notes_stats ON id, kind FROM notes;
  CREATE TEXT SEARCH CONFIGURATION words (PARSER = pg_catalog."default");
  CREATE FUNCTION twice(kind) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN $1::text || $1::text; END $$;
  INSERT INTO notes (kind, text) SELECT 'a', E'tab\\t, line\\n, \\\\. and ; $$ ' || n FROM generate_series(1, 2000) n;
  INSERT INTO parts.links SELECT id, '\\x005c0a' FROM notes;`;

const digestSql = `SELECT (SELECT md5(string_agg(n::text, ',' ORDER BY id)) FROM notes n) AS notes,
  (SELECT md5(string_agg(l::text, ',' ORDER BY note_id)) FROM parts.links l) AS links, twice('b') AS twice`;

const folder = mkdtempSync(join(tmpdir(), 'backup-programs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const serviceOf = (url: string): BackedUpService => ({
  product: 'notes',
  release: '1.0.0',
  url,
  schemas: ['public', 'parts'],
  minimumServerVersion: 15,
  files: {
    keysSql: 'SELECT NULL::text AS key, true AS is_required WHERE false',
    store: { kind: 'folder', folder: join(folder, randomUUID()) },
  },
  keys: { read: async () => [], verify: () => {} },
  programs: { pgDump: 'pg_dump', pgRestore: 'pg_restore', psql: 'psql', environment: process.env },
  schema: { runMigrateCommand: async () => 0, requireMigrations: async () => {} },
  listMigrations: async () => ['20260101000000_first'],
});

describe('createBackup', () => {
  it('names PG_DUMP when the program does not exist, and leaves no file', async () => {
    const service = serviceOf(server);
    const absent = { ...service, programs: { ...service.programs, pgDump: join(folder, 'absent') } };
    const to = join(folder, 'refused');
    await expect(createBackup(absent, { folder: to, print: () => {} })).rejects.toThrow('PG_DUMP');
    expect(readdirSync(to)).toEqual([]);
  });
});

(isRegistered ? [title] : []).forEach((name) =>
  describe(name, () => {
    const urls: string[] = [];
    let source: BackedUpService;
    const role = `backup_reader_${randomUUID().replaceAll('-', '')}`;

    async function emptyDatabase(): Promise<string> {
      const url = new URL(server);
      url.pathname = `/backup_${randomUUID()}`;
      await query(server, `CREATE DATABASE "${url.pathname.slice(1)}"`);
      urls.push(url.href);
      return url.href;
    }

    const restore = (url: string, replaces: boolean): Promise<boolean> =>
      restoreBackup(serviceOf(url), { folder: join(folder, 'backup'), replaces, migrates: false, print: () => {} });

    beforeAll(async () => {
      source = serviceOf(await emptyDatabase());
      await query(source.url, tablesSql);
      await query(server, `CREATE ROLE ${role}`);
      await createBackup(source, { folder: join(folder, 'backup'), print: () => {} });
    });
    afterAll(async () => {
      for (const url of urls) await query(server, `DROP DATABASE "${new URL(url).pathname.slice(1)}" WITH (FORCE)`);
      await query(server, `DROP ROLE ${role}`);
    });

    it('restores rows, types, functions and extensions into an empty database', async () => {
      const url = await emptyDatabase();
      await query(url, `ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO ${role}`);
      await restore(url, false);
      expect(await query(url, digestSql)).toEqual(await query(source.url, digestSql));
      const [right] = await query(url, `SELECT has_table_privilege('${role}', 'notes', 'SELECT') AS granted`);
      expect(right).toEqual({ granted: true });
    });

    it('replaces the tables of a database, and removes tables of later migrations', async () => {
      const url = await emptyDatabase();
      await query(url, tablesSql);
      await query(url, 'DELETE FROM parts.links; CREATE TABLE later (note_id int REFERENCES notes, kind kind)');
      await restore(url, true);
      expect(await query(url, digestSql)).toEqual(await query(source.url, digestSql));
      expect(await query(url, "SELECT to_regclass('later') AS later")).toEqual([{ later: null }]);
    });

    it('preserves the existing rows if a statement of the restored script fails', async () => {
      const url = await emptyDatabase();
      await query(url, tablesSql);
      await query(url, 'DELETE FROM parts.links; DELETE FROM notes WHERE id <> 7');
      // A schema that does not belong to the service is not removed.
      const blocked = { ...serviceOf(url), schemas: ['public'] };
      const options = { folder: join(folder, 'backup'), replaces: true, migrates: false, print: () => {} };
      await expect(restoreBackup(blocked, options)).rejects.toThrow('schema "parts" already exists');
      expect(await query(url, 'SELECT id FROM notes')).toEqual([{ id: 7 }]);
    });
  }),
);
