import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import {
  type AuditLine,
  selectAuditLines,
  getTestServerAddresses,
  openTestDatabase,
  selectCases,
  type TestDatabase,
} from '@switchboard/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Exit code and output of a program that has ended. */
interface Result {
  readonly code: number;
  /** Output without audit lines. */
  readonly output: string;
  /** Lines of the audit trail on the standard error. */
  readonly audit: readonly AuditLine[];
}

// The commands of both services share their code. Those of chat migrate one set of tables more.
const apps = selectCases(['chat', 'inventory'], (app) => app === 'chat');

// Each test starts up to seven processes.
describe.each(apps)('admin command `migrate` of %s', { timeout: 300_000 }, (app) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase({
      name: `unmigrated_${app}`,
      hash: 'empty',
      unused: true,
      prepare: async () => {},
    });
  });
  afterAll(() => database.release());

  /** Runs a program of the service until the program ends, and returns its exit code and output. */
  function run(
    program: 'admin-bundle' | 'bundle',
    args: readonly string[],
    variables: Record<string, string> = {},
  ): Promise<Result> {
    const env = {
      PATH: process.env['PATH'],
      NODE_ENV: 'test',
      DATABASE_URL: database.url,
      REDIS_URL: getTestServerAddresses().redisUrl,
      REDIS_KEY_PREFIX: `migrate_command_${app}_${process.pid}:`,
      BOOT_WAIT_MS: '0',
      PORT: '0',
      METRICS_PORT: '0',
      ...variables,
    };
    return new Promise((ended) => {
      const child = execFile(
        process.execPath,
        [join(root, 'apps', app, 'dist', `${program}.js`), ...args],
        { env },
        (_error, stdout, stderr) => {
          const errors = stderr.split('\n').filter((line) => !line.includes('"module":"audit"'));
          const audit = selectAuditLines(stderr.split('\n'));
          ended({ code: child.exitCode ?? -1, output: stdout + errors.join('\n'), audit });
        },
      );
    });
  }

  const query = async (sql: string): Promise<unknown[]> => {
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query<object>(sql);
    await client.end();
    return rows;
  };

  const firstCommand = app === 'chat' ? ['list-dead-letters'] : ['check-paths'];

  it('prints pending migrations without a change, and applies them, as no other command does', async () => {
    const tables = "SELECT schemaname FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";
    const tablesBefore = await query(tables);
    const status = await run('admin-bundle', ['migrate', '--status', '--json']);
    expect(status.code).toBe(3);
    const { state, migrations } = JSON.parse(status.output) as { state: string; migrations: { set: string }[] };
    expect(state).toBe('pending');
    expect([...new Set(migrations.map(({ set }) => set))]).toEqual(
      app === 'chat' ? [app, 'queue', 'webhooks'] : [app, 'queue'],
    );

    const refusal = new RegExp(
      `^The database lacks \\d+ migrations of this release: ${app} .* more\\. Run: npm run admin -- ${app} migrate$`,
      'm',
    );
    const command = await run('admin-bundle', firstCommand);
    expect(command.code).toBe(1);
    expect(command.output.trim()).toMatch(refusal);
    expect(command.output.trim().split('\n')).toHaveLength(1);

    const start = await run('bundle', [], { MIGRATE_AT_BOOT: 'false' });
    expect(start.code).toBe(1);
    const [line = '', ...further] = start.output.split('\n').filter((text) => text.includes('"fatal"'));
    expect(further).toEqual([]);
    expect((JSON.parse(line) as { msg: string }).msg).toMatch(refusal);
    expect(await query(tables)).toEqual(tablesBefore);

    const migrated = await run('admin-bundle', ['migrate']);
    expect(migrated).toMatchObject({ code: 0, output: expect.stringContaining('Applied migration') });
    expect(await run('admin-bundle', ['migrate', '--status'])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^applied +queue +001_outbox\.sql$/m),
    });
    expect((await run('admin-bundle', firstCommand)).code).toBe(0);
  });

  it('writes one audit line for each command on the standard error, also when it fails', async () => {
    const status = await run('admin-bundle', ['migrate', '--status', '--json']);
    expect(status.audit).toMatchObject([
      { name: app, action: 'admin_command', actor: { kind: 'operator' }, command: 'migrate', exitCode: 0 },
    ]);
    expect(status.audit[0]?.['options']).toEqual({ status: true, json: true });
    const name = app === 'chat' ? 'reset-password' : 'create-token';
    const args = app === 'chat' ? [name, '--email', 'no@one.test', '--password', 'hunter2'] : [name, 'no-one'];
    const failed = await run('admin-bundle', args);
    expect(failed).toMatchObject({ code: 1, audit: [{ command: name, object: null, exitCode: 1 }] });
    expect(JSON.stringify(failed.audit)).not.toMatch(/hunter2|no@one|no-one/);
  });

  it.each(selectCases([['migrate'], ['migrate', '--status'], firstCommand], (_, index) => index !== 1))(
    'prints a one-line error for an unreachable server when run as %s',
    async (...args) => {
      const url = 'postgres://postgres@127.0.0.1:1/nowhere';
      const { code, output } = await run('admin-bundle', args, { DATABASE_URL: url });
      expect(code).toBe(1);
      expect(output.trim()).toMatch(
        /^PostgreSQL cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1\. Check DATABASE_URL.*$/,
      );
    },
  );

  it('causes an error that names the missing database at a start in production', async () => {
    const url = new URL(database.url);
    url.pathname = '/no_such_database';
    const start = await run('bundle', [], { MIGRATE_AT_BOOT: 'false', DATABASE_URL: url.href });
    expect(start.code).toBe(1);
    const [line = ''] = start.output.split('\n').filter((text) => text.includes('"fatal"'));
    expect((JSON.parse(line) as { msg: string }).msg).toMatch(
      /^The database no_such_database does not exist\. Check its name/,
    );
  });

  it('prints a one-line error for a problem, and exits with 1', async () => {
    await run('admin-bundle', ['migrate']);
    await query("UPDATE queue.migrations SET checksum = 'another' WHERE version = 1");
    const status = await run('admin-bundle', ['migrate', '--status']);
    expect(status).toMatchObject({
      code: 1,
      output: expect.stringContaining('problem: Queue migration 001_outbox.sql'),
    });
    const migrated = await run('admin-bundle', ['migrate']);
    expect(migrated.code).toBe(1);
    expect(migrated.output.trim()).toMatch(/^Queue migration 001_outbox\.sql was edited after it was applied: .*$/);
  });
});
