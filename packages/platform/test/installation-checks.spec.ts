import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createDatabaseChecks,
  createFileStoreCheck,
  createFolderCheck,
  createRedisChecks,
  type DatabaseCheckOptions,
  type InspectedDatabase,
  type InstallationCheck,
  runInstallationChecks,
} from '../src/index.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'installation-checks-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(checks: readonly InstallationCheck[], isJson = false): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const code = await runInstallationChecks(checks, { isJson, print: (line) => lines.push(line), timeoutMs: 50 });
  return { code, lines };
}

const passing: InstallationCheck = { name: 'passing', run: async () => ({ level: 'ok', text: 'is fine' }) };
const warning: InstallationCheck = { name: 'warning', run: async () => ({ level: 'warning', text: 'is odd' }) };
const throwing: InstallationCheck = {
  name: 'throwing',
  run: async () => {
    throw new Error('two\n  lines');
  },
};
const hanging: InstallationCheck = { name: 'hanging', run: () => new Promise(() => {}) };

describe('runInstallationChecks', () => {
  it('prints a line for each check and returns 0 when none has failed', async () => {
    expect(await run([passing, warning])).toEqual({
      code: 0,
      lines: ['ok      passing      is fine', 'warning warning      is odd'],
    });
  });

  it('runs the remaining checks and returns 1 when a check throws or exceeds its time limit', async () => {
    expect(await run([throwing, hanging, passing])).toEqual({
      code: 1,
      lines: [
        'failed  throwing     two lines',
        'failed  hanging      No result within 50 ms',
        'ok      passing      is fine',
      ],
    });
  });

  it('prints one JSON object for `--json`', async () => {
    const { code, lines } = await run([passing, throwing], true);
    expect([code, lines.map((line) => JSON.parse(line) as unknown)]).toEqual([
      1,
      [
        {
          state: 'failed',
          checks: [
            { name: 'passing', level: 'ok', text: 'is fine' },
            { name: 'throwing', level: 'failed', text: 'two lines' },
          ],
        },
      ],
    ]);
  });
});

describe('createFolderCheck', () => {
  it('writes a file, reads its content and removes the file', async () => {
    for (const createsHardLinks of [false, true]) {
      const check = createFolderCheck({ folder, createsHardLinks });
      expect(await check.run()).toEqual({ level: 'ok', text: `The folder ${folder} stores files.` });
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it('warns about a missing folder and does not create the folder', async () => {
    expect(await createFolderCheck({ folder: join(folder, 'a/b') }).run()).toMatchObject({ level: 'warning' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('fails when no file can be created in the folder', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const { code, lines } = await run([
      createFolderCheck({ folder: file }),
      createFolderCheck({ folder: join(file, 'media') }),
    ]);
    expect([code, lines]).toEqual([1, [expect.stringContaining('ENOTDIR'), expect.stringContaining('ENOTDIR')]]);
    await rm(file);
  });

  it('fails when no file can be created in a subfolder, and ignores a missing subfolder', async () => {
    await writeFile(join(folder, '.incoming'), '');
    const { code, lines } = await run([
      createFolderCheck({ folder, subfolders: ['.missing'] }),
      createFolderCheck({ folder, subfolders: ['.incoming'] }),
    ]);
    await rm(join(folder, '.incoming'));
    expect([code, lines[0], lines[1]]).toEqual([
      1,
      expect.stringMatching(/^ok/),
      expect.stringMatching(/^failed +files +ENOTDIR: .*\.incoming/),
    ]);
  });
});

describe('createFileStoreCheck', () => {
  it('fails and removes the file when the store returns another content', async () => {
    const removed: string[] = [];
    const check = createFileStoreCheck('The bucket files', {
      write: async () => {},
      read: async () => null,
      remove: async (name) => void removed.push(name),
    });
    expect(await check.run()).toEqual({
      level: 'failed',
      text: 'The bucket files returned another content than was written.',
    });
    expect(removed).toHaveLength(1);
  });
});

const database: InspectedDatabase = {
  readServer: async () => ({
    database: 'orders',
    clusterId: '1',
    version: '17.5',
    majorVersion: 17,
    connectionLimit: 97,
  }),
  listMissingGrants: async () => [],
  listUnownedObjects: async () => [],
  listMissingMigrationGrants: async () => [],
  requirePreparedStatements: async () => {},
  listMissingExtensions: async () => [],
  listChangedCollations: async () => [],
  readClockDifference: async () => -12,
};

/** Runs the check with a name. `facts` replace facts of a database without faults. */
async function runDatabaseCheck(
  name: string,
  facts: Partial<InspectedDatabase>,
  config: Partial<DatabaseCheckOptions['config']> = {},
  migrationFacts: Partial<InspectedDatabase> = facts,
) {
  const inspected = { ...database, ...facts };
  const migrationDatabase = { ...database, ...migrationFacts };
  const options = { database: inspected, migrationDatabase, schemas: ['public'], extensions: ['pg_trgm'] };
  const all = { DATABASE_POOL_SIZE: 20, PROCESSES: 1, NODE_ENV: 'production', ...config };
  const checks = createDatabaseChecks({ ...options, minimumServerVersion: 17, config: all });
  return checks.find((check) => check.name === name)?.run();
}

describe('createDatabaseChecks', () => {
  it('fails when the server is older than the minimum version', async () => {
    const facts = { database: 'orders', clusterId: '1', version: '16.9', majorVersion: 16, connectionLimit: 97 };
    expect(await runDatabaseCheck('postgresql', { readServer: async () => facts })).toEqual({
      level: 'failed',
      text: 'PostgreSQL 16.9 is too old: PostgreSQL 17 or later is needed.',
    });
  });

  it('counts the process that a supervisor starts when it replaces the others', async () => {
    const four = await runDatabaseCheck('connections', {}, { PROCESSES: 4 });
    expect(four).toMatchObject({ level: 'failed', text: expect.stringContaining('need 110 connections') as string });
    const one = await runDatabaseCheck('connections', {}, { DATABASE_POOL_SIZE: 95 });
    expect(one).toMatchObject({ level: 'ok', text: expect.stringContaining('need 97 connections') as string });
  });

  it.each([
    ['failed', { MIGRATION_DATABASE_URL: 'postgres://owner@db/orders' }],
    ['failed', { MIGRATE_AT_BOOT: true }],
    ['warning', {}],
  ] as const)('has the level %s when the role owns no table, with %j', async (level, config) => {
    const facts = { listUnownedObjects: async () => ['public.orders'] };
    const finding = await runDatabaseCheck('owner', {}, config, facts);
    expect(finding).toMatchObject({ level, text: expect.stringContaining('does not own public.orders') as string });
  });

  it.each([
    ['another database', { database: 'postgres' }],
    ['another server', { clusterId: '2' }],
  ])('fails when MIGRATION_DATABASE_URL names %s', async (_place, differing) => {
    const readServer = async () => ({ ...(await database.readServer()), ...differing });
    const config = { MIGRATION_DATABASE_URL: 'postgres://owner@db/postgres' };
    expect(await runDatabaseCheck('owner', {}, config, { readServer })).toMatchObject({
      level: 'failed',
      text: expect.stringContaining('are not the same database') as string,
    });
  });

  it('names the statements when the role that migrates may create no table', async () => {
    const facts = { listMissingMigrationGrants: async () => ['GRANT CREATE ON SCHEMA public TO owner'] };
    expect(await runDatabaseCheck('owner', facts, { MIGRATE_AT_BOOT: true })).toMatchObject({
      level: 'failed',
      text: expect.stringContaining('Run: GRANT CREATE ON SCHEMA public TO owner') as string,
    });
  });

  it('fails when a pooler loses prepared statements', async () => {
    const requirePreparedStatements = () => Promise.reject(new Error('The database is behind a pooler'));
    await expect(runDatabaseCheck('pooler', { requirePreparedStatements })).rejects.toThrow('behind a pooler');
  });

  it('names the variables with the URL when PostgreSQL refuses the connection', async () => {
    const refused = Object.assign(new Error('password authentication failed'), { code: '28P01' });
    await expect(runDatabaseCheck('role', { listMissingGrants: () => Promise.reject(refused) })).rejects.toThrow(
      'password authentication failed. Check DATABASE_URL, and MIGRATION_DATABASE_URL',
    );
  });

  it.each([
    [-999, 'ok'],
    [1_000, 'warning'],
    [-30_000, 'failed'],
  ])('compares the clocks when they differ by %i ms: %s', async (differenceMs, level) => {
    expect(await runDatabaseCheck('clock', { readClockDifference: async () => differenceMs })).toMatchObject({ level });
  });

  it('names the contrib modules when the server lacks the files of an extension', async () => {
    const missing = [{ name: 'pg_trgm', isAvailable: false }];
    expect(await runDatabaseCheck('extensions', { listMissingExtensions: async () => missing })).toEqual({
      level: 'failed',
      text: 'The server lacks pg_trgm. Install the contrib modules of PostgreSQL.',
    });
  });
});

describe('createRedisChecks', () => {
  it.each([
    ['redis', { version: '6.2.14' }, 'failed'],
    ['redis', { version: '7.0.15' }, 'ok'],
    ['redis', { writeError: 'READONLY' }, 'failed'],
    ['eviction', { policy: 'allkeys-lru' }, 'failed'],
    ['eviction', { policy: null }, 'warning'],
    ['eviction', { policy: 'noeviction' }, 'ok'],
    ['persistence', { isPersistent: null }, 'warning'],
    ['persistence', { isPersistent: false }, 'warning'],
    ['persistence', { isPersistent: true }, 'ok'],
  ] as const)('returns the level of %s when the server has %j: %s', async (name, facts, level) => {
    const server = { version: '7.4.0', policy: 'noeviction', writeError: null, isPersistent: true, ...facts };
    const check = createRedisChecks(async () => server).find((one) => one.name === name);
    expect(await check?.run()).toMatchObject({ level });
  });
});
