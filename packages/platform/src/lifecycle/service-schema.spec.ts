import { describe, expect, it } from 'vitest';
import { MissingDatabaseError, PendingMigrationsError, type ServiceMigrationState } from './service-migration-state.js';
import { type ServiceMigrateOptions, ServiceSchema, type ServiceSchemaConfig } from './service-schema.js';

const upToDate: ServiceMigrationState = [
  { set: 'orders', applied: ['1_first', '2_second'], pending: [], unknown: [] },
  { set: 'queue', applied: ['001_outbox'], pending: [], unknown: [] },
];
const isPending: ServiceMigrationState = [
  { set: 'orders', applied: ['1_first'], pending: ['2_second'], unknown: [] },
  { set: 'queue', applied: [], pending: ['001_outbox'], unknown: [] },
];
const isEdited: ServiceMigrationState = [
  { set: 'orders', applied: ['1_first'], pending: ['2_second'], unknown: [], problem: new Error('1_first was edited') },
];

const baseConfig: ServiceSchemaConfig = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://orders@server/orders',
  MIGRATION_LOCK_TIMEOUT_MS: 5_000,
  BOOT_WAIT_MS: 0,
};

/**
 * Creates the schema of a service whose database has the given migration states, one after another. Each read of the
 * state returns the next one.
 */
function createSchema(states: readonly ServiceMigrationState[], config: Partial<ServiceSchemaConfig> = {}) {
  const migrated: ({ url: string } & ServiceMigrateOptions)[] = [];
  const migrate = (url: string, log: (line: string) => void, options: ServiceMigrateOptions): Promise<void> => {
    migrated.push({ url, ...options });
    log('Applied 2_second');
    return Promise.resolve();
  };
  const read: string[] = [];
  const readState = (url: string): Promise<ServiceMigrationState> => {
    read.push(url);
    return Promise.resolve(states[Math.min(read.length, states.length) - 1] ?? []);
  };
  const schema = new ServiceSchema({ name: 'orders', migrate, readState }, { ...baseConfig, ...config });
  return { schema, migrated, read };
}

const silent = { info: () => {} };

describe('ServiceSchema.prepare', () => {
  it.each([
    ['development', undefined, true],
    ['test', undefined, true],
    ['production', undefined, false],
    ['production', true, true],
    ['development', false, false],
  ])(
    'decides in the mode %s with MIGRATE_AT_BOOT %s if migrations are applied: %s',
    async (NODE_ENV, MIGRATE_AT_BOOT, expected) => {
      const { schema, migrated } = createSchema([upToDate], { NODE_ENV, MIGRATE_AT_BOOT });
      await schema.prepareDatabase(silent);
      expect(migrated.length > 0).toBe(expected);
    },
  );

  it('applies migrations with the database role in MIGRATION_DATABASE_URL', async () => {
    const owner = 'postgres://owner@server/orders';
    const { schema, migrated } = createSchema([upToDate], { MIGRATE_AT_BOOT: true, MIGRATION_DATABASE_URL: owner });
    await schema.prepareDatabase(silent);
    expect(migrated).toMatchObject([{ url: owner, lockTimeoutMs: 5_000 }]);
  });

  it.each([
    ['development', true],
    ['production', false],
  ])('decides in the mode %s if the migration may create the database: %s', async (NODE_ENV, createsDatabase) => {
    const { schema, migrated } = createSchema([upToDate], { NODE_ENV, MIGRATE_AT_BOOT: true });
    await schema.prepareDatabase(silent);
    expect(migrated).toMatchObject([{ createsDatabase }]);
  });

  it('waits until the migrations are applied', async () => {
    const { schema, migrated, read } = createSchema([isPending, isPending, upToDate], { BOOT_WAIT_MS: 60_000 });
    await schema.prepareDatabase(silent);
    // The last read is that of the migrations of later releases.
    expect(read).toEqual(Array.from({ length: 4 }, () => baseConfig.DATABASE_URL));
    expect(migrated).toEqual([]);
  });

  it('fails after BOOT_WAIT_MS with a one-line error that names the pending migrations and the command', async () => {
    const { schema } = createSchema([isPending]);
    const failure: unknown = await schema.prepareDatabase(silent).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PendingMigrationsError);
    expect(String(failure)).toBe(
      'PendingMigrationsError: The database lacks 2 migrations of this release: orders 2_second, queue 001_outbox. ' +
        'Run: npm run admin -- orders migrate',
    );
  });

  it('names a single pending migration', async () => {
    const { schema } = createSchema([[{ set: 'orders', applied: [], pending: ['1_first'], unknown: [] }]]);
    await expect(schema.prepareDatabase(silent)).rejects.toThrow(
      'lacks a migration of this release: orders 1_first. Run:',
    );
  });

  it('names ten pending migrations, and the number of further migrations', async () => {
    const pending = Array.from({ length: 12 }, (_, index) => `${index}_table`);
    const { schema } = createSchema([[{ set: 'orders', applied: [], pending, unknown: [] }]]);
    await expect(schema.prepareDatabase(silent)).rejects.toThrow(/orders 9_table and 2 more\. Run:/);
  });

  it('names the database in the error of requireMigrations when its URL contains no host', async () => {
    const DATABASE_URL = 'postgres://orders:secret@/orders?host=/var/run/postgresql';
    const missing: ServiceMigrationState = [
      { set: 'orders', applied: [], pending: ['1_first'], unknown: [], isDatabaseMissing: true },
    ];
    const { schema } = createSchema([missing], { DATABASE_URL });
    await expect(schema.requireMigrations()).rejects.toThrow(/The database orders does not exist/);
  });

  it('fails for a missing database with a one-line error that first suggests to check DATABASE_URL', async () => {
    const missing: ServiceMigrationState = [
      { set: 'orders', applied: [], pending: ['1_first'], unknown: [], isDatabaseMissing: true },
    ];
    const { schema } = createSchema([missing]);
    const failure: unknown = await schema.prepareDatabase(silent).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MissingDatabaseError);
    expect(String(failure)).toMatch(
      /: The database orders does not exist\. Check its name in DATABASE_URL\. Only for a new/,
    );
  });

  it.each([
    ['applies migrations', true],
    ['waits for migrations', false],
  ])('logs the migrations of a later release when the process %s', async (_, MIGRATE_AT_BOOT) => {
    const [orders, queue] = upToDate;
    const later: ServiceMigrationState = [
      { ...orders!, applied: ['1_first', '2_second', '3_later'], unknown: ['3_later'] },
      { ...queue!, unknown: ['002_later'] },
    ];
    const lines: unknown[] = [];
    const { schema } = createSchema([later], { MIGRATE_AT_BOOT });
    await schema.prepareDatabase({ info: (line: unknown) => lines.push(line) });
    expect(lines).toContain('A later release has applied migrations to this database: orders 3_later, queue 002_later');
  });

  it('fails immediately when the problem cannot disappear by waiting', async () => {
    const { schema, read } = createSchema([isEdited], { BOOT_WAIT_MS: 60_000 });
    await expect(schema.prepareDatabase(silent)).rejects.toThrow('1_first was edited');
    expect(read).toHaveLength(1);
  });
});

describe('ServiceSchema.runCommand', () => {
  async function run(states: readonly ServiceMigrationState[], { isStatus = false, isJson = false } = {}) {
    const { schema, migrated, read } = createSchema(states);
    const lines: string[] = [];
    const code = await schema.runMigrateCommand({ isStatus, isJson, print: (line) => lines.push(line) });
    return { code, lines, migrated: migrated.length, read };
  }

  it('applies the migrations and prints each step', async () => {
    const { code, lines, migrated } = await run([upToDate]);
    expect({ code, migrated }).toEqual({ code: 0, migrated: 1 });
    expect(lines).toEqual(['Applied 2_second', expect.stringContaining('up to date with release')]);
  });

  it('prints each migration with its state for --status, and returns exit code 3 when migrations are pending', async () => {
    const { code, lines, migrated } = await run([isPending], { isStatus: true });
    expect({ code, migrated }).toEqual({ code: 3, migrated: 0 });
    expect(lines.join('\n').split('\n')).toEqual([
      'applied  orders    1_first',
      'pending  orders    2_second',
      'pending  queue     001_outbox',
      'pending',
    ]);
  });

  it('returns exit code 0 for an up-to-date database, and prints a problem with exit code 1', async () => {
    expect((await run([upToDate], { isStatus: true })).code).toBe(0);
    const { code, lines } = await run([isEdited], { isStatus: true });
    expect(code).toBe(1);
    expect(lines.join('\n')).toContain('problem: 1_first was edited');
  });

  it('prints JSON with release, state, migrations and problems for --status --json', async () => {
    const unknown: ServiceMigrationState = [
      { set: 'orders', applied: ['1_first', '3_later'], pending: [], unknown: ['3_later'] },
    ];
    const { code, lines } = await run([unknown], { isStatus: true, isJson: true });
    expect(code).toBe(0);
    expect(JSON.parse(lines.join('\n'))).toEqual({
      release: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      state: 'up_to_date',
      migrations: [
        { set: 'orders', name: '1_first', state: 'applied' },
        { set: 'orders', name: '3_later', state: 'unknown' },
      ],
      problems: [],
    });
  });
});
