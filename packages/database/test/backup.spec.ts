import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresConnectionEnvironment } from '../src/backup/postgres-programs.js';
import { BackupRig, folderOf, query, readNotes, readStoredFiles } from './backup-test-environment.js';

/**
 * Path of an existing file, which serves as a certificate file in URLs: the driver reads this file when it parses the
 * URL.
 */
const certificate = fileURLToPath(import.meta.url);
const packageFolder = fileURLToPath(new URL('..', import.meta.url));

let rig: BackupRig;

beforeEach(async () => {
  rig = await BackupRig.create();
});
afterEach(() => rig.close());

const sumOf = (path: string): { bytes: number; sha256: string } => {
  const content = readFileSync(path);
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
};

const oneNote = [[1, 'one', 'a/one.txt']] as const;

describe('createBackup', () => {
  it('writes dump, files and a manifest that describes them', async () => {
    const service = await rig.filledService([...oneNote, [2, 'two', null], [3, 'three', 'b/\u2028 3.txt']]);
    await rig.back(service);
    const [server] = await query<{ version: string }>(
      service.url,
      "SELECT current_setting('server_version') AS version",
    );
    expect(rig.manifest()).toEqual({
      format: 1,
      product: 'notes',
      release: '1.2.0',
      newestMigration: '20260101000000_notes',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      server: server?.version.split(' ')[0],
      pgDump: '99.1',
      parts: ['database.dump', 'files.jsonl'].map((name) => ({ name, ...sumOf(join(rig.backup, name)) })),
      files: { count: 2, bytes: 'one in a file'.length + 'three in a file'.length, missing: 0 },
      buckets: [],
      keys: [{ kind: 'key', id: 'k1', proof: 'proof of k1' }],
    });
    expect(readFileSync(join(rig.backup, 'files/a/one.txt'), 'utf8')).toBe('one in a file');
    expect(readdirSync(rig.backup).toSorted()).toEqual(['database.dump', 'files', 'files.jsonl', 'manifest.json']);
    expect(statSync(rig.backup).mode & 0o077).toBe(0);
  });

  it('dumps the database snapshot that lists the copied files, while other transactions write', async () => {
    const service = await rig.filledService(oneNote);
    await rig.back(service);
    expect(await readNotes(service.url)).toBe('1 one, 99 after the snapshot');
    expect(readFileSync(join(rig.backup, 'database.dump'), 'utf8')).not.toContain('after the snapshot');
  });

  it('passes address and password, but no secret of the service, to pg_dump', async () => {
    const service = await rig.filledService([]);
    const url = new URL(service.url);
    url.searchParams.set('sslmode', 'disable');
    await rig.back({ ...service, url: url.href });
    const { args, env } = rig.programs.lastDump();
    expect(args).toEqual(['--format=custom', expect.stringMatching(/^--snapshot=\S+$/), '--no-password']);
    expect(env).toMatchObject({
      PGHOST: url.hostname,
      PGPORT: url.port || '5432',
      PGDATABASE: url.pathname.slice(1),
      PGSSLMODE: 'disable',
      PGOPTIONS: '-c geqo=off',
    });
    if (url.password !== '') expect(env['PGPASSWORD']).toBe(decodeURIComponent(url.password));
    expect(Object.keys(env)).not.toContain('SECRET_PEPPERS');
  });

  it.each([
    ['disable', { PGSSLMODE: 'disable' }],
    ['require', { PGSSLMODE: 'verify-full', PGSSLROOTCERT: 'system' }],
    ['no-verify', { PGSSLMODE: 'require' }],
    [`verify-full&sslrootcert=${certificate}`, { PGSSLMODE: 'verify-full', PGSSLROOTCERT: certificate }],
  ])('makes PostgreSQL programs verify the server certificate as the driver does with sslmode=%s', (mode, expected) => {
    const variables = createPostgresConnectionEnvironment(`postgres://a:b@db.test/c?sslmode=${mode}`, {});
    expect(variables).toMatchObject(expected);
  });

  it('passes the folder of a Unix socket as the host', () => {
    const variables = createPostgresConnectionEnvironment('postgres://user:secret@/chat?host=/var/run/postgresql', {});
    expect(variables).toMatchObject({ PGHOST: '/var/run/postgresql', PGUSER: 'user', PGDATABASE: 'chat' });
  });

  it('prints a warning for a key that is not configured, and names the key in the manifest', async () => {
    const service = await rig.filledService(oneNote);
    const keys = { ...service.keys, read: async () => [{ kind: 'key', id: 'k7', proof: '' }] };
    await rig.back({ ...service, keys });
    expect(rig.lines[0]).toMatch(
      /^Warning: Key k7 is absent\. This backup can be restored only with the former keys\./,
    );
    expect(rig.manifest()).toMatchObject({ keys: [{ id: 'k7' }] });
    await expect(rig.restore(rig.service(await rig.emptyDatabase()))).rejects.toThrow('Key k7 is absent.');
  });

  it('omits schemas of other programs from the dump, and includes all schemas of the service', async () => {
    const service = await rig.filledService(oneNote);
    await query(
      service.url,
      'CREATE SCHEMA extra; CREATE SCHEMA "Mon""itor"; CREATE SCHEMA trgm; CREATE EXTENSION pg_trgm SCHEMA trgm',
    );
    await rig.back(service);
    const { args } = rig.programs.lastDump();
    expect(args.filter((arg) => arg.startsWith('--exclude-schema'))).toEqual(['--exclude-schema="Mon""itor"']);
  });

  it('completes only one of two concurrent backups into the same folder, and refuses the second', async () => {
    const service = await rig.filledService(oneNote);
    const outcomes = await Promise.allSettled([rig.back(service), rig.back(service)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await rig.restore(rig.service(await rig.emptyDatabase()))).toBe(true);
  });

  it('refuses a pg_dump that is older than the server, and names both versions in one line', async () => {
    const service = await rig.filledService(oneNote);
    const pgDump = rig.programs.write('old', '', '12.7 (Debian 12.7-1)');
    await expect(rig.back({ ...service, programs: { ...service.programs, pgDump } })).rejects.toThrow(
      /^pg_dump 12\.7 is older than the server, PostgreSQL \d+\.\d+\. .*PG_DUMP.*\.$/,
    );
    expect(readdirSync(rig.backup)).toEqual([]);
  });

  it('refuses a program that does not exist or is not pg_dump', async () => {
    const service = await rig.filledService(oneNote);
    const back = (pgDump: string) => rig.back({ ...service, programs: { ...service.programs, pgDump } });
    await expect(back('/absent/pg_dump')).rejects.toThrow(
      'pg_dump was not found. Install the PostgreSQL client, or set PG_DUMP to the path of the program.',
    );
    await expect(back(process.execPath)).rejects.toThrow('is not pg_dump of PostgreSQL');
  });

  it('lists files as missing when they are removed after the snapshot', async () => {
    const service = await rig.filledService([...oneNote, [2, 'two', 'two.txt']]);
    const pgDump = rig.programs.write('removing', `rmSync(${JSON.stringify(join(folderOf(service), 'two.txt'))});`);
    await rig.back({ ...service, programs: { ...service.programs, pgDump } });
    expect(rig.manifest()).toMatchObject({ files: { count: 1, missing: 1 } });
    expect(readFileSync(join(rig.backup, 'files.jsonl'), 'utf8')).toContain('{"key":"two.txt","missing":true}\n');
    expect(rig.lines).toContain('missing: two.txt');
  });

  it('leaves an empty folder when pg_dump fails after a part of its output', async () => {
    const service = await rig.filledService(oneNote);
    const script =
      "process.stdout.write('half'); console.error('pg_dump: error: no space left'); process.exitCode = 1;";
    const pgDump = rig.programs.write('failing', script);
    await expect(rig.back({ ...service, programs: { ...service.programs, pgDump } })).rejects.toThrow(
      'pg_dump failed: pg_dump: error: no space left',
    );
    expect(readdirSync(rig.backup)).toEqual([]);
  });

  it('leaves a folder without manifest, which is no backup, when its process is killed', async () => {
    const service = await rig.filledService(oneNote);
    const pgDump = rig.programs.write('endless', "setInterval(() => process.stdout.write('x'), 5);");
    const options = { ...service, programs: { ...service.programs, pgDump } };
    const program = `import { createBackup } from '@switchboard/database';
      const keys = { read: async () => [], verify() {} };
      await createBackup({ ...${JSON.stringify(options)}, keys }, { folder: ${JSON.stringify(rig.backup)}, print() {} });`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { cwd: packageFolder });
    const ended = once(child, 'exit');
    while (!existsSync(join(rig.backup, 'database.dump')) && child.exitCode === null) await delay(10);
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(readdirSync(rig.backup)).not.toContain('manifest.json');
    await expect(rig.restore(service, true)).rejects.toThrow('is no backup');
    await expect(rig.back(service)).rejects.toThrow('is not empty');
  });

  it('writes the manifest after all other files', async () => {
    const service = await rig.filledService(oneNote);
    const manifest = join(rig.backup, 'manifest.json');
    const pgDump = rig.programs.write('watching', `console.log(existsSync(${JSON.stringify(manifest)}));`);
    await rig.back({ ...service, programs: { ...service.programs, pgDump } });
    expect(readFileSync(join(rig.backup, 'database.dump'), 'utf8')).toBe('false\n');
    expect(rig.manifest()).not.toBeNull();
  });

  it('refuses a folder that is not empty, and leaves the folder unchanged', async () => {
    const service = await rig.filledService(oneNote);
    mkdirSync(rig.backup, { recursive: true });
    writeFileSync(join(rig.backup, 'mine'), '');
    await expect(rig.back(service)).rejects.toThrow('is not empty');
    expect(readdirSync(rig.backup)).toEqual(['mine']);
  });

  it('refuses to replace a backup', async () => {
    const service = await rig.filledService(oneNote);
    await rig.back(service);
    const before = rig.manifest();
    await expect(rig.back(service)).rejects.toThrow('contains a backup. Name another folder.');
    expect(rig.manifest()).toEqual(before);
  });

  it('refuses a database without tables of the service', async () => {
    const service = rig.service(await rig.emptyDatabase());
    await expect(rig.back(service)).rejects.toThrow('The database has no tables of notes.');
  });

  it('names a bucket in the manifest, and copies no files from the bucket', async () => {
    const filled = await rig.filledService(oneNote);
    const bucket = { endpoint: 'https://s3.example.com', bucket: 'files' };
    const unused = () => {
      throw new Error('The bucket is not read');
    };
    const store = { kind: 'bucket', ...bucket, list: unused, exists: unused } as const;
    await rig.back({ ...filled, files: { ...filled.files, store } });
    expect(rig.manifest()).toMatchObject({ buckets: [bucket], files: { count: 0, missing: 0 } });
    expect(rig.lines).toContain('The files in the bucket files are not part of the backup.');
    expect(readStoredFiles(filled)).toEqual({ 'a/one.txt': 'one in a file' });
  });

  it('refuses a stored path that leads outside the folder', async () => {
    const service = await rig.filledService([]);
    await query(service.url, "INSERT INTO notes VALUES (1, '', '../outside')");
    await expect(rig.back(service)).rejects.toThrow('leads outside its folder');
    expect(readdirSync(rig.backup)).toEqual([]);
  });
});
