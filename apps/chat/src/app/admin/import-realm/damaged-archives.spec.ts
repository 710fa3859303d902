import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess } from '../../../../test/chat-server.js';
import {
  type ArchiveFiles,
  realmArchive,
  tarEntries,
  writeArchiveFolder,
  writeTar,
} from '../../../../test/realm-archive.js';
import { createRealm } from '../create-realm.js';
import { importRealm } from './import-realm.js';

const run = promisify(execFile);
const admin = fileURLToPath(new URL('../../../../dist/admin-bundle.js', import.meta.url));

let cluster: ChatCluster;
let chat: ChatProcess;
let folder: string;

beforeAll(async () => {
  cluster = await chatCluster({ withDemo: false });
  chat = await cluster.start();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const request = (path: string) => ({ path, host: 'chat.example.com', publicUrl: undefined, stringId: undefined });

async function count(table: string): Promise<number> {
  const { rows } = await chat.runtime.database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`);
  return rows[0]?.n ?? 0;
}

async function importFolder(files: ArchiveFiles): Promise<string> {
  await writeArchiveFolder(join(folder, 'export'), files);
  return importRealm(chat.runtime, request(join(folder, 'export')));
}

describe('import-realm of a damaged or hostile archive', () => {
  afterEach(async () => {
    expect([await count('realms'), await count('users'), await count('messages')]).toEqual([0, 0, 0]);
  });

  it.each([
    ['leads out of its folder', { path: '../escaped.txt', content: Buffer.from('x') }, /path that is not allowed/],
    ['is absolute', { path: '/tmp/escaped.txt', content: Buffer.from('x') }, /path that is not allowed/],
    ['is a symbolic link', { path: 'export/link', content: Buffer.alloc(0), type: '2' }, /link or device/],
    ['is repeated', { path: 'export/realm.json', content: Buffer.from('{}') }, /a file twice/],
  ])('refuses a tar entry that %s', async (_name, entry, message) => {
    await writeTar(join(folder, 'a.tar.gz'), [...tarEntries(await realmArchive()), entry]);
    await expect(importRealm(chat.runtime, request(join(folder, 'a.tar.gz')))).rejects.toThrow(message);
  });

  it('refuses a file that is not a tar archive', async () => {
    await writeFile(join(folder, 'a.tar.gz'), 'no archive');
    await expect(importRealm(chat.runtime, request(join(folder, 'a.tar.gz')))).rejects.toThrow('is not a tar archive');
  });

  it.each([
    ['is cut off', '{"zerver_realm": [{"id": 2', /not valid JSON/],
    ['has rows that are no objects', '{"zerver_realm": [7]}', /not a JSON object/],
    ['has an invalid table name', '{"../zerver": [{"id": 2}]}', /invalid table/],
    ['has no realm', '{"zerver_userprofile": []}', /exactly one realm/],
  ])('refuses a realm.json that %s', async (_name, text, message) => {
    const files = { ...(await realmArchive()), 'realm.json': Buffer.from(text) };
    await expect(importFolder(files)).rejects.toThrow(message);
  });

  it('names the table and column of a value with a wrong type', async () => {
    const files = await realmArchive({ zerver_defaultstream: [{ id: 1, realm: 2, stream: '21; DROP TABLE users' }] });
    await expect(importFolder(files)).rejects.toThrow('stream of the row 1 of zerver_defaultstream is not an id');
  });

  it('refuses two users with the same email address', async () => {
    const archive = await realmArchive();
    const tables = archive['realm.json'] as { zerver_userprofile: { delivery_email: string }[] };
    for (const row of tables.zerver_userprofile) row.delivery_email = 'same@example.com';
    await expect(importFolder(archive)).rejects.toThrow('The archive contradicts itself (unique: users');
  });

  it('refuses two uploaded files with the same path', async () => {
    const archive = await realmArchive();
    const table = archive['attachment.json'] as { zerver_attachment: { id: number }[] };
    const [first] = table.zerver_attachment;
    table.zerver_attachment.push({ ...first!, id: first!.id + 1 });
    await expect(importFolder(archive)).rejects.toThrow('The archive has two files with one path.');
  });

  it('refuses file paths and links that lead out of the archive folder', async () => {
    const record = { realm_id: 2, s3_path: '2/ab/c2VjcmV0/notes.txt', path: '../../../etc/passwd' };
    const files = { ...(await realmArchive()), 'uploads/records.json': [record] };
    await expect(importFolder(files)).rejects.toThrow('path that is not allowed');
    await rm(join(folder, 'export'), { recursive: true });
    await writeArchiveFolder(join(folder, 'export'), await realmArchive());
    const stored = join(folder, 'export/uploads/2/ab/c2VjcmV0/notes.txt');
    await rm(stored);
    await symlink('/etc/passwd', stored);
    await expect(importRealm(chat.runtime, request(join(folder, 'export')))).rejects.toThrow('leads out of it');
  });
});

describe('import-realm as a process', () => {
  it('leaves no rows when the process is killed, and deletes its temporary files during the next import', async () => {
    const path = join(folder, 'export');
    const temporary = join(folder, 'temporary');
    await mkdir(temporary);
    await writeArchiveFolder(path, await realmArchive());
    const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR } = chat.runtime.config;
    const service = { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR, NODE_ENV: 'test' };
    const env = { ...service, PATH: process.env['PATH'], TMPDIR: temporary };
    await chat.runtime.database.inTransaction(async (tx) => {
      await tx.query('LOCK TABLE reactions IN ACCESS EXCLUSIVE MODE');
      const importing = spawn(process.execPath, [admin, 'import-realm', path, '--host', 'a.example.com'], {
        env,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      const exited = once(importing, 'exit');
      const waits = async () => {
        await tx.query('SELECT pg_stat_clear_snapshot()');
        const { rows } = await tx.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
             AND query LIKE 'INSERT INTO reactions%'`,
        );
        return rows.length > 0;
      };
      while (!(await waits())) {
        if (importing.exitCode !== null) throw new Error('The import ended before it was killed');
        await setTimeout(50);
      }
      importing.kill('SIGKILL');
      await exited;
    });
    await vi.waitFor(async () => expect([await count('realms'), await count('messages')]).toEqual([0, 0]), 20_000);
    expect(await readdir(temporary)).toEqual([expect.stringContaining('realm-import-')]);
    await createRealm(chat.runtime, { stringId: 'fresh', name: 'Fresh', host: 'b.example.com', description: '' });
    const { stdout } = await run(process.execPath, [admin, 'import-realm', path], { env });
    expect(stdout).toContain('Imported the organization Acme.');
    const { rows } = await chat.runtime.database.query('SELECT string_id, host, name FROM realms');
    expect(rows).toEqual([{ string_id: 'fresh', host: 'b.example.com', name: 'Acme' }]);
    expect(await readdir(temporary)).toEqual([]);
  }, 180_000);
});
