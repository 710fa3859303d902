import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BackedUpService, restoreBackup } from '../src/index.js';
import { BackupRig, folderOf, query, readNotes, readStoredFiles, writeStoredFile } from './backup-test-environment.js';

let rig: BackupRig;
let intact: string;

beforeAll(async () => {
  rig = await BackupRig.create();
  const source = await rig.filledService([
    [1, 'one', 'a/one.txt'],
    [2, "it's two", 'a/b/two.txt'],
  ]);
  await rig.back(source);
  intact = join(rig.folder, 'intact');
  cpSync(rig.backup, intact, { recursive: true });
});
afterEach(() => {
  rig.lines.length = 0;
  rmSync(rig.backup, { recursive: true });
  cpSync(intact, rig.backup, { recursive: true });
});
afterAll(() => rig.close());

const rows = "1 one, 2 it's two";
const files = { 'a/one.txt': 'one in a file', 'a/b/two.txt': "it's two in a file" };

/** Returns a test service whose database and files differ from the backup. */
const otherService = (): Promise<BackedUpService> =>
  rig.filledService([
    [7, 'seven', 'a/one.txt'],
    [8, 'eight', 'eight.txt'],
  ]);
const otherRows = '7 seven, 8 eight';
const otherFiles = { 'a/one.txt': 'seven in a file', 'eight.txt': 'eight in a file' };

async function expectUnchanged(service: BackedUpService): Promise<void> {
  expect(await readNotes(service.url)).toBe(otherRows);
  expect(readStoredFiles(service)).toEqual(otherFiles);
}

describe('restoreBackup', () => {
  it('restores rows and files where none exist', async () => {
    const target = rig.service(await rig.emptyDatabase());
    await rig.restore(target);
    expect(await readNotes(target.url)).toBe(rows);
    expect(readStoredFiles(target)).toEqual(files);
    expect(rig.lines).toContain('Restored the database and 2 files.');
    expect(rig.lines.join()).toContain('Redis may stay as it is');
  });

  it('creates a database that does not exist', async () => {
    const target = rig.service(rig.absentDatabase());
    await rig.restore(target);
    expect(await readNotes(target.url)).toBe(rows);
  });

  it('restores into a database that contains nothing except an extension', async () => {
    const target = rig.service(await rig.emptyDatabase());
    await query(target.url, 'CREATE EXTENSION pg_trgm');
    await rig.restore(target);
    expect(await readNotes(target.url)).toBe(rows);
  });

  it('accepts a folder that already contains files with the same content, and retains other files', async () => {
    const target = rig.service(await rig.emptyDatabase());
    writeStoredFile(target, 'a/one.txt', 'one in a file');
    writeStoredFile(target, 'other.txt', 'remains');
    await rig.restore(target);
    expect(readStoredFiles(target)).toEqual({ ...files, 'other.txt': 'remains' });
  });

  it('replaces rows and differing files with --replace', async () => {
    const target = await otherService();
    await query(
      target.url,
      `CREATE SCHEMA extra;
       CREATE EXTENSION pg_trgm;
       CREATE TABLE extra.later (id int REFERENCES public.notes);
       CREATE TYPE public.kind AS ENUM ('a');
       CREATE FUNCTION public.f(public.kind) RETURNS int LANGUAGE sql RETURN 1;
       CREATE TABLE public.numbered (id int GENERATED ALWAYS AS IDENTITY, kind public.kind);
       CREATE STATISTICS public.numbered_stats ON id, kind FROM public.numbered;
       CREATE TEXT SEARCH CONFIGURATION public.words (PARSER = pg_catalog."default");
       CREATE VIEW public.shown AS SELECT id FROM public.numbered;
       DO $$ BEGIN FOR n IN 1..80 LOOP EXECUTE 'CREATE TABLE public.table_' || n || ' (id serial PRIMARY KEY)'; END LOOP; END $$;`,
    );
    await rig.restore(target, true);
    expect(await readNotes(target.url)).toBe(rows);
    expect(readStoredFiles(target)).toEqual({ ...files, 'eight.txt': 'eight in a file' });
    const [left] = await query(
      target.url,
      `SELECT (SELECT string_agg(relname, ',' ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace) AS relations,
         to_regtype('public.kind') AS kind, to_regclass('extra.later') AS later,
         (SELECT count(*)::int FROM pg_extension WHERE extname = 'pg_trgm') AS extensions`,
    );
    expect(left).toEqual({ relations: '_prisma_migrations,notes,notes_pkey', kind: null, later: null, extensions: 1 });
  });

  it('restores the same backup twice', async () => {
    const target = rig.service(await rig.emptyDatabase());
    await rig.restore(target);
    await rig.restore(target, true);
    expect(await readNotes(target.url)).toBe(rows);
  });

  it('refuses a database that is not empty without --replace', async () => {
    const target = await otherService();
    await expect(rig.restore(target)).rejects.toThrow('The database is not empty. Add --replace');
    await expectUnchanged(target);
  });

  it.each([
    ['without migrations', 'DROP TABLE public._prisma_migrations'],
    ['of another product', "UPDATE public._prisma_migrations SET migration_name = '20250101000000_letters'"],
  ])('refuses with --replace a database %s, and names the cause', async (_kind, sql) => {
    const target = await otherService();
    await query(target.url, sql);
    const name = new URL(target.url).pathname.slice(1);
    await expect(rig.restore(target, true)).rejects.toThrow(`The database "${name}" does not contain tables of notes.`);
    await expectUnchanged(target);
  });

  it('runs the SQL statement that the service defines in the transaction of the restore', async () => {
    const target = rig.service(await rig.emptyDatabase(), { restoredSql: "UPDATE public.notes SET text = 'restored'" });
    await rig.restore(target);
    expect(await readNotes(target.url)).toBe('1 restored, 2 restored');
    const failing = rig.service(await rig.emptyDatabase(), { restoredSql: 'SELECT 1/0' });
    await expect(rig.restore(failing)).rejects.toThrow('division by zero');
    expect(await readNotes(failing.url)).toBeNull();
  });

  it('refuses a stored file with other content without --replace', async () => {
    const target = rig.service(await rig.emptyDatabase());
    writeStoredFile(target, 'a/one.txt', 'another');
    await expect(rig.restore(target)).rejects.toThrow('has other content than in the backup. Add --replace');
    expect(await readNotes(target.url)).toBeNull();
    expect(readStoredFiles(target)).toEqual({ 'a/one.txt': 'another' });
  });

  it('refuses a database while another client is connected, and names the client', async () => {
    const target = await otherService();
    const client = new pg.Client({ connectionString: target.url, application_name: 'notes: api' });
    await client.connect();
    await expect(rig.restore(target, true)).rejects.toThrow(
      /^The database is in use: "notes: api" \(session \d+, role/,
    );
    await client.end();
    await expectUnchanged(target);
  });

  it.each<[fault: string, message: string, damage: () => void]>([
    [
      'a folder without a manifest, as an interrupted backup leaves it',
      'is no backup: it has no manifest.json',
      () => rmSync(join(rig.backup, 'manifest.json')),
    ],
    ['a damaged manifest', 'is damaged', () => writeFileSync(join(rig.backup, 'manifest.json'), '{"format": 1}')],
    ['a later form', 'which only a later release can read', () => rig.changeManifest({ format: 2 })],
    [
      'another product',
      'The backup is of letters, and this is notes.',
      () => rig.changeManifest({ product: 'letters' }),
    ],
    [
      'a later release',
      'The backup was made by release 1.10.0. This is release 1.2.0: restore it with release 1.10.0 or later.',
      () => rig.changeManifest({ release: '1.10.0' }),
    ],
    [
      'a key that is not configured',
      'Key k2 is absent.',
      () =>
        rig.changeManifest({
          keys: [
            { kind: 'key', id: 'k1', proof: '' },
            { kind: 'key', id: 'k2', proof: '' },
          ],
        }),
    ],
    [
      'a migration that this release lacks',
      'This release 1.2.0 lacks the migration 20260103000000_later of the backup.',
      () => rig.changeManifest({ newestMigration: '20260103000000_later' }),
    ],
    [
      'a dump of a later pg_dump',
      'pg_restore 99.1 is older than the pg_dump of the backup, 100.1.',
      () => rig.changeManifest({ pgDump: '100.1' }),
    ],
    [
      'a dump of a later server',
      'The backup is of PostgreSQL 99.5. This server is older',
      () => rig.changeManifest({ server: '99.5' }),
    ],
    [
      'a changed dump',
      'These files differ from their sums: database.dump.',
      () => writeFileSync(join(rig.backup, 'database.dump'), 'x', { flag: 'a' }),
    ],
    [
      'a changed file of equal size',
      'These files differ from their sums: files/a/one.txt.',
      () => writeFileSync(join(rig.backup, 'files/a/one.txt'), 'two in a file'),
    ],
    [
      'a missing file',
      'differ from their sums: files/a/b/two.txt',
      () => rmSync(join(rig.backup, 'files/a/b/two.txt')),
    ],
    [
      'a changed list of files',
      'differ from their sums: files.jsonl',
      () => writeFileSync(join(rig.backup, 'files.jsonl'), ''),
    ],
  ])('refuses %s before anything changes', async (_fault, message, damage) => {
    damage();
    const target = await otherService();
    await expect(rig.restore(target, true)).rejects.toThrow(message);
    await expectUnchanged(target);
  });

  it.each([
    ['an error in the dump', 'SELECT 1/0;', 0, 'division by zero'],
    ['pg_restore after a part of its output', 'SELECT 1;', 1, 'pg_restore failed: exit code 1'],
  ])('leaves the previous rows and files unchanged when %s fails', async (_fault, sql, exitCode, message) => {
    const pgRestore = rig.programs.write(
      'failing',
      `console.log('CREATE TABLE public.notes (id int, text text); ${sql}'); process.exitCode = ${exitCode};`,
    );
    const target = await otherService();
    const programs = { ...target.programs, pgRestore };
    await expect(rig.restore({ ...target, programs }, true)).rejects.toThrow(message);
    expect(await readNotes(target.url)).toBe(otherRows);
    expect(readStoredFiles(target)).toMatchObject(otherFiles);
    expect(readdirSync(folderOf(target))).not.toContain('.restoring');
  });

  it('changes no row if a process connects during the restore', async () => {
    const pgRestore = rig.programs.write(
      'waiting',
      `(async () => {
        writeFileSync(folder + '/begun', '');
        while (!existsSync(folder + '/connected')) await delay(10);
        console.log('CREATE TABLE public.notes (id int, text text);');
      })();`,
    );
    const target = await otherService();
    const restored = rig.restore({ ...target, programs: { ...target.programs, pgRestore } }, true).then(
      () => 'restored',
      (error: Error) => error.message,
    );
    while (!readdirSync(rig.programs.folder).includes('begun')) await delay(10);
    const client = new pg.Client(target.url);
    await client.connect();
    writeFileSync(join(rig.programs.folder, 'connected'), '');
    expect(await restored).toContain('another process has connected to the database during the restore');
    await client.end();
    expect(await readNotes(target.url)).toBe(otherRows);
  });

  it('prints the command for pending migrations, or applies these migrations with --migrate', async () => {
    const pending = new Error('The database lacks a migration. Run: admin migrate');
    const schema = {
      runMigrateCommand: async () => {
        rig.print('migrated');
        return 0;
      },
      requireMigrations: () => Promise.reject(pending),
    };
    const target = rig.service(await rig.emptyDatabase(), { schema });
    expect(await rig.restore(target)).toBe(false);
    expect(rig.lines.at(-1)).toBe(pending.message);
    const options = { folder: rig.backup, replaces: true, migrates: true, print: rig.print };
    expect(await restoreBackup(target, options)).toBe(true);
    expect(rig.lines.at(-1)).toBe('migrated');
  });
});
