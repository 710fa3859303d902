import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { requireEncryptionKeysMatchDatabase } from '@switchboard/auth';
import { type InstallationCheckFinding, runInstallationChecks } from '@switchboard/platform';
import { openTestDatabase, RedisServers, startS3Server, testS3Credentials } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChatChecks } from '../src/app/admin/check-installation.js';
import { readChatServiceConfig } from '../src/app/environment.js';
import { chatSecretColumns } from '../src/app/stored-secrets.js';
import { createChatSchemaMigrator, minimumPostgresMajorVersion } from '../src/migrate.js';
import { type ChatCluster, chatCluster, type ChatProcess } from './chat-server.js';
import { defaultKeyVariables, createEncryptionKeyEntry } from './secrets-command.js';
import { LocalMailServer } from './smtp-server.js';

interface Report {
  readonly state: string;
  readonly checks: readonly (InstallationCheckFinding & { readonly name: string })[];
}

let cluster: ChatCluster;
let chat: ChatProcess;
let env: Record<string, string>;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ ROLE: 'api' });
  const { runtime } = chat;
  await requireEncryptionKeysMatchDatabase(runtime.database, runtime.keys, chatSecretColumns);
  const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR, MAIL_FOLDER } = runtime.config;
  env = { NODE_ENV: 'test', DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR, MAIL_FOLDER };
});
afterAll(() => cluster.stop());

/** Runs the checks of a configuration. Returns the exit code and the findings that are not `ok`, by name. */
async function check(
  given: Record<string, string>,
  mailTo?: string,
): Promise<{ code: number; findings: Record<string, InstallationCheckFinding> }> {
  const config = readChatServiceConfig({ ...env, ...given });
  const lines: string[] = [];
  const checks = createChatChecks(config, {
    schema: createChatSchemaMigrator(config),
    minimumServerVersion: minimumPostgresMajorVersion,
    mailTo,
  });
  const code = await runInstallationChecks(checks, { isJson: true, print: (line) => lines.push(line) });
  const report = JSON.parse(lines.join('')) as Report;
  const found = report.checks.filter(({ level }) => level !== 'ok');
  return { code, findings: Object.fromEntries(found.map(({ name, level, text }) => [name, { level, text }])) };
}

describe('admin command `check`', () => {
  it('prints a line for each check and exits with 0 when only warnings remain', async () => {
    const program = fileURLToPath(new URL('../dist/admin-bundle.js', import.meta.url));
    const output = await new Promise<string>((resolve, reject) => {
      execFile(
        process.execPath,
        [program, 'check'],
        { env: { ...env, PATH: process.env['PATH'] } },
        (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}${stderr}`)),
      );
    });
    const lines = output.trimEnd().split('\n');
    expect(lines.map((line) => line.slice(0, 21).trimEnd().split(/ +/))).toEqual([
      ['ok', 'postgresql'],
      ['ok', 'pooler'],
      ['ok', 'role'],
      ['ok', 'owner'],
      ['ok', 'extensions'],
      ['ok', 'collations'],
      ['ok', 'connections'],
      ['ok', 'clock'],
      ['ok', 'migrations'],
      ['ok', 'keys'],
      ['ok', 'redis'],
      ['ok', 'eviction'],
      ['warning', 'persistence'],
      ['ok', 'files'],
      ['warning', 'mail'],
      ['ok', 'mail-folder'],
    ]);
  });

  it('names pending migrations and missing extensions of an empty database', async () => {
    const empty = await openTestDatabase({ name: 'check_empty', hash: 'empty', unused: true, prepare: async () => {} });
    const { code, findings } = await check({ DATABASE_URL: empty.url });
    await empty.release();
    expect(code).toBe(1);
    expect(findings).toMatchObject({
      extensions: { level: 'failed', text: 'Run in the database: CREATE EXTENSION pg_trgm' },
      migrations: { level: 'failed', text: expect.stringContaining('migrations of this release') as string },
    });
  });

  it('names missing rights, the tables of another owner and too few connections', async () => {
    const role = `chat_check_${process.pid}`;
    const { database } = chat.runtime;
    await database.query(`CREATE ROLE ${role} CONNECTION LIMIT 10`);
    const url = new URL(cluster.database.url);
    url.searchParams.set('options', `-c role=${role}`);
    const { findings } = await check({ DATABASE_URL: url.href });
    await database.query(`DROP ROLE ${role}`);
    expect(findings['role']?.text).toContain(
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
    );
    expect(findings['owner']?.text).toContain('Set MIGRATION_DATABASE_URL to the owner.');
    expect(findings['connections']?.text).toContain('the role may open 10.');
  });

  it('names a key that differs', async () => {
    const id = defaultKeyVariables.key.split(':', 1)[0] ?? '';
    const { code, findings } = await check({ SECRET_ENCRYPTION_KEYS: createEncryptionKeyEntry(id) });
    expect([code, findings['keys']?.text]).toEqual([
      1,
      expect.stringContaining(`Encryption key "${id}" differs from the key`),
    ]);
  });

  it('fails when the eviction policy of Redis can lose keys', async () => {
    const servers = await RedisServers.open();
    const { port } = await servers.start(['maxmemory-policy volatile-lru', 'appendonly yes']);
    const { code, findings } = await check({ REDIS_URL: `redis://127.0.0.1:${port}` });
    await servers.stop();
    expect(code).toBe(1);
    expect(findings).toEqual({
      eviction: { level: 'failed', text: expect.stringContaining('volatile-lru') as string },
      mail: expect.objectContaining({ level: 'warning' }) as object,
    });
  });

  it('runs the checks of other servers when PostgreSQL is unavailable', async () => {
    const { code, findings } = await check({ DATABASE_URL: 'postgres://postgres@127.0.0.1:1/chat' });
    expect(code).toBe(1);
    expect(findings['postgresql']?.text).toContain('ECONNREFUSED');
    expect(Object.keys(findings)).toEqual(expect.arrayContaining(['migrations', 'keys', 'persistence', 'mail']));
    expect(findings).not.toHaveProperty('files');
  });

  it('stores a file in the bucket, reads its content and removes the file', async () => {
    const s3 = await startS3Server();
    const bucket = {
      S3_ENDPOINT: s3.endpoint,
      S3_BUCKET: 'files',
      S3_REGION: testS3Credentials.region,
      S3_ACCESS_KEY_ID: testS3Credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: testS3Credentials.secretAccessKey,
    };
    const [allowed, refused] = [await check(bucket), await check({ ...bucket, S3_SECRET_ACCESS_KEY: 'another' })];
    const remaining = s3.objects.size;
    await s3.close();
    expect([allowed.code, allowed.findings['files'], remaining]).toEqual([0, undefined, 0]);
    expect([refused.code, refused.findings['files']?.level]).toEqual([1, 'failed']);
  });
});

describe('admin command `check --mail`', () => {
  it('sends an email, and sends none without `--mail`', async () => {
    const server = new LocalMailServer();
    await server.start();
    const smtp = { SMTP_URL: `smtp://127.0.0.1:${server.port}` };
    const silent = await check(smtp);
    const counted = server.taken.length;
    const sent = await check(smtp, 'operator@example.com');
    await server.stop();
    expect([silent.code, silent.findings['mail'], counted]).toEqual([0, undefined, 0]);
    expect([sent.code, server.taken.map(({ to }) => to)]).toEqual([0, ['operator@example.com']]);
  });

  it('fails when the mail server refuses the connection', async () => {
    const refusing = createServer((socket) => socket.end('554 No service for you\r\n'));
    await once(refusing.listen(0, '127.0.0.1'), 'listening');
    const { port } = refusing.address() as AddressInfo;
    const { code, findings } = await check({ SMTP_URL: `smtp://127.0.0.1:${port}` });
    refusing.close();
    expect([code, findings['mail']]).toEqual([
      1,
      { level: 'failed', text: expect.stringContaining('554 No service for you') as string },
    ]);
  });

  it('fails without SMTP_URL', async () => {
    const { code, findings } = await check({}, 'operator@example.com');
    expect([code, findings['mail']?.level]).toEqual([1, 'failed']);
  });
});
