import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyMigrations, readMigrationStatus } from '../src/index.js';
import { MigrationsFolder } from './migrations-folder.js';
import { createScratchDatabase, dropScratchDatabase, failureOf, scratchUrl } from './temporary-database.js';

const first = '20260101000000_first';
const second = '20260102000000_second';
const third = '20260103000000_third';

let url: string;
let folder: MigrationsFolder;
let log: string[];

beforeEach(async () => {
  url = scratchUrl();
  log = [];
  folder = await MigrationsFolder.create();
  await folder.write(first, 'CREATE TABLE one (id int);\nINSERT INTO one VALUES (1); -- no newline at the end');
  await folder.write(second, 'CREATE TABLE two (id int);');
});

afterEach(async () => {
  await dropScratchDatabase(url);
  await folder.delete();
});

const apply = () => applyMigrations({ url, folder: folder.path, log: (line) => log.push(line) });
const status = () => readMigrationStatus({ url, folder: folder.path });

const query = (sql: string): Promise<unknown[]> => queryAt(url, sql);

const onServer = (sql: string): Promise<unknown[]> => queryAt(process.env['TEST_POSTGRES_URL'] ?? '', sql);

async function queryAt(database: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client.query<object>(sql);
  await client.end();
  return rows;
}

describe('applyMigrations', () => {
  it('creates the database, applies all migrations in order, and returns their names', async () => {
    expect(await apply()).toEqual({ applied: [first, second] });
    expect(log).toEqual([
      'Creating the database',
      expect.stringMatching(`^Applied migration ${first} \\(\\d+ ms\\)$`),
      expect.stringMatching(`^Applied migration ${second} \\(\\d+ ms\\)$`),
    ]);
    expect(await query('SELECT id FROM one')).toEqual([{ id: 1 }]);
  });

  it('creates the database of a URL whose host is a parameter, as for a Unix socket', async () => {
    const { username, password, hostname, port, pathname } = new URL(url);
    const secret = password === '' ? '' : `:${password}`;
    const socketUrl = `postgres://${username}${secret}@${pathname}?host=${hostname}&port=${port || '5432'}`;
    await applyMigrations({ url: socketUrl, folder: folder.path, log: (line) => log.push(line) });
    expect(log[0]).toBe('Creating the database');
    expect(await query('SELECT id FROM one')).toEqual([{ id: 1 }]);
  });

  it('throws for a missing database with `createsDatabase: false`, and does not create the database', async () => {
    const options = { url, folder: folder.path, log: (line: string) => log.push(line), createsDatabase: false };
    expect(await failureOf(applyMigrations(options))).toMatchObject({
      fault: 'absent',
      message: expect.stringContaining(`The database ${new URL(url).pathname.slice(1)} does not exist`),
    });
    expect(log).toEqual([]);
    expect(await failureOf(query('SELECT 1'))).toMatchObject({ code: '3D000' });
    await apply();
    expect(await applyMigrations(options)).toEqual({ applied: [] });
  });

  it('applies only pending migrations', async () => {
    await apply();
    await folder.write(third, 'CREATE TABLE three (id int)');
    expect(await apply()).toEqual({ applied: [third] });
    expect(await apply()).toEqual({ applied: [] });
  });

  it('creates and migrates a missing database once when ten processes call the function concurrently', async () => {
    const outcomes = await Promise.all(Array.from({ length: 10 }, apply));
    expect(outcomes.flatMap(({ applied }) => applied)).toEqual([first, second]);
    expect(await query('SELECT count(*)::int FROM _prisma_migrations')).toEqual([{ count: 2 }]);
  });

  it('runs function bodies that contain semicolons', async () => {
    await folder.write(third, 'CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END; $$;');
    await apply();
    expect(await query('SELECT f()')).toEqual([{ f: 1 }]);
  });

  it('applies a migration that must run outside a transaction, even while other processes wait for the lock', async () => {
    await folder.write(third, 'CREATE INDEX CONCURRENTLY one_id_idx ON one (id);');
    const outcomes = await Promise.all([apply(), apply(), apply()]);
    expect(outcomes.flatMap(({ applied }) => applied)).toEqual([first, second, third]);
    expect(await query("SELECT indisvalid FROM pg_index WHERE indexrelid = 'one_id_idx'::regclass")).toEqual([
      { indisvalid: true },
    ]);
  });
});

describe('applyMigrations', () => {
  it('runs a DO block that commits its batches', async () => {
    await folder.write(
      third,
      'DO $$ BEGIN FOR n IN 1..3 LOOP INSERT INTO one (id) VALUES (1000 + n); COMMIT; END LOOP; END $$;',
    );
    expect(await apply()).toEqual({ applied: [first, second, third] });
    expect(await query('SELECT count(*)::int FROM one WHERE id > 1000')).toEqual([{ count: 3 }]);
  });
});

describe('applyMigrations: lock', () => {
  const lockId = 72_707_369;

  async function session(sql: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, application_name: 'a forgotten session' });
    await client.connect();
    await client.query(sql);
    return client;
  }

  it('takes no lock and creates nothing when no migration is pending', async () => {
    await apply();
    const holder = await session(`SELECT pg_advisory_lock(${lockId})`);
    const reader = await session(
      `CREATE ROLE migration_reader LOGIN PASSWORD 'reader'; GRANT SELECT ON _prisma_migrations TO migration_reader;`,
    );
    const readerUrl = new URL(url);
    readerUrl.username = 'migration_reader';
    readerUrl.password = 'reader';
    const outcome = await applyMigrations({ url: readerUrl.href, folder: folder.path, log: (line) => log.push(line) });
    await reader.query('DROP OWNED BY migration_reader; DROP ROLE migration_reader');
    await Promise.all([holder.end(), reader.end()]);
    expect(outcome).toEqual({ applied: [] });
  });

  it('fails after the lock timeout, naming the session that has the lock', async () => {
    await apply();
    await folder.write(third, 'CREATE TABLE three (id int)');
    const holder = await session(`SELECT pg_advisory_lock(${lockId})`);
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const failure = await failureOf(
      applyMigrations({ url, folder: folder.path, log: (line) => log.push(line), lockTimeoutMs: 200 }),
    );
    expect(failure).toMatchObject({ name: 'MigrationError', fault: 'locked' });
    expect(String(failure)).toMatch(
      new RegExp(`process ${rows[0]?.pid} \\(application "a forgotten session", open for \\d+ s\\)`),
    );
    expect(log.at(-1)).toBe('Waiting for another process that runs migrations');
    await holder.end();
    expect(await apply()).toEqual({ applied: [third] });
  });

  it('belongs to a transaction on a second connection that remains open while a migration runs', async () => {
    await folder.write(
      third,
      `CREATE TABLE seen AS
         SELECT a.state, a.pid <> pg_backend_pid() AS "isOther" FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
          WHERE l.locktype = 'advisory' AND l.objid = ${lockId}
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    await apply();
    expect(await query('SELECT * FROM seen')).toEqual([{ state: 'idle in transaction', isOther: true }]);
  });
});

describe('applyMigrations: time limits of the database', () => {
  it('do not apply to migrations and to the lock of migrations', async () => {
    await apply();
    const name = new URL(url).pathname.slice(1);
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
      await query(`ALTER DATABASE "${name}" SET ${limit} = 100`);
    }
    await folder.write(third, 'SELECT pg_sleep(0.3)');
    await folder.write('20260104000000_fourth', 'CREATE INDEX CONCURRENTLY two_id_idx ON two (id)');
    expect(await apply()).toEqual({ applied: [third, '20260104000000_fourth'] });
  });
});

describe('applyMigrations: minimumServerVersion', () => {
  const applyOn = (minimumServerVersion: number) =>
    applyMigrations({ url, folder: folder.path, log: (line) => log.push(line), minimumServerVersion });

  it('rejects an older server before any change', async () => {
    const [{ version }] = (await onServer("SELECT current_setting('server_version') AS version")) as [
      { version: string },
    ];
    const failure = await failureOf(applyOn(99));
    expect(failure).toMatchObject({ name: 'MigrationError', fault: 'server' });
    expect(String(failure)).toContain(`PostgreSQL ${version} is too old: PostgreSQL 99 or later is needed`);
    const name = new URL(url).pathname.slice(1);
    expect(await onServer(`SELECT FROM pg_database WHERE datname = '${name}'`)).toEqual([]);
  });

  it('rejects an older server with an existing database, and adds no row to its migration table', async () => {
    await folder.remove(second);
    await apply();
    await folder.write(second, 'CREATE TABLE two (id int);');
    expect(await failureOf(applyOn(99))).toMatchObject({ fault: 'server' });
    expect(await query('SELECT count(*)::int FROM _prisma_migrations')).toEqual([{ count: 1 }]);
    expect(await applyOn(15)).toEqual({ applied: [second] });
  });
});

describe('applyMigrations: failing migration', () => {
  beforeEach(async () => {
    await folder.write(second, 'CREATE TABLE two (id int); INSERT INTO nowhere VALUES (1);');
  });

  it('stops the startup, rolls back, and leaves earlier migrations applied', async () => {
    const failure = await failureOf(apply());
    expect(failure).toMatchObject({ name: 'MigrationError', fault: 'failed', migration: second });
    expect(String(failure)).toMatch(/relation "nowhere" does not exist.*apply the migrations again\.$/);
    expect(await query("SELECT to_regclass('one')::text AS one, to_regclass('two')::text AS two")).toEqual([
      { one: 'one', two: null },
    ]);
  });

  it('leaves a failure record in the format of Prisma', async () => {
    await failureOf(apply());
    const columns =
      'started_at IS NOT NULL AS started, finished_at, rolled_back_at, applied_steps_count AS steps, logs';
    expect(await query(`SELECT ${columns} FROM _prisma_migrations WHERE migration_name = '${second}'`)).toEqual([
      {
        started: true,
        finished_at: null,
        rolled_back_at: null,
        steps: 0,
        logs: expect.stringContaining('relation "nowhere" does not exist'),
      },
    ]);
  });

  it('blocks later startups with instructions until the migration is marked as rolled back', async () => {
    await failureOf(apply());
    await folder.write(second, 'CREATE TABLE two (id int);');
    const failure = await failureOf(apply());
    expect(failure).toMatchObject({ fault: 'failed', migration: second });
    const advice = /UPDATE _prisma_migrations SET .* IS NULL/.exec(String(failure))?.[0] ?? '';
    await query(advice);
    expect(await apply()).toEqual({ applied: [second] });
  });

  it('leaves a record of the failure even if the migration contains BEGIN and COMMIT', async () => {
    await folder.write(second, 'BEGIN; CREATE TABLE two (id int); INSERT INTO nowhere VALUES (1); COMMIT;');
    await failureOf(apply());
    expect(await query(`SELECT logs FROM _prisma_migrations WHERE finished_at IS NULL`)).toEqual([
      { logs: expect.stringContaining('nowhere') },
    ]);
  });
});

describe('applyMigrations after a process died', () => {
  /** Records the start of a migration without its end, as if the process had died while it applied the migration. */
  const begin = (name: string) =>
    query(`INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES (gen_random_uuid(), '', '${name}')`);

  it('repeats an interrupted migration that consists of one transaction', async () => {
    await folder.write(second, 'CREATE TABLE two (id int); SELECT pg_terminate_backend(pg_backend_pid());');
    expect(await failureOf(apply())).toMatchObject({ fault: 'failed' });
    expect(await query("SELECT to_regclass('two') AS two")).toEqual([{ two: null }]);
    expect(await status()).toEqual({ applied: [first], pending: [second], unknown: [], isDatabaseMissing: false });
    await folder.write(second, 'CREATE TABLE two (id int);');
    expect(await apply()).toEqual({ applied: [second] });
    expect(log).toContain(`Retrying migration ${second}, which was interrupted`);
    expect(await apply()).toEqual({ applied: [] });
  });

  it('continues a migration whose batches were partly committed', async () => {
    await apply();
    await query('CREATE TABLE four (id int, n int); INSERT INTO four VALUES (1, 1), (2, NULL)');
    await folder.write(
      third,
      `DO $$ BEGIN
        LOOP
          UPDATE four SET n = 2 WHERE id = (SELECT min(id) FROM four WHERE n IS NULL);
          EXIT WHEN NOT FOUND;
          COMMIT;
        END LOOP;
      END $$`,
    );
    await begin(third);
    expect(await apply()).toEqual({ applied: [third] });
    expect(await query('SELECT id, n FROM four ORDER BY id')).toEqual([
      { id: 1, n: 1 },
      { id: 2, n: 2 },
    ]);
  });

  it('recreates an index when a second process died before it recorded that it had started', async () => {
    await apply();
    await query('CREATE INDEX two_id_idx ON two (id)');
    await folder.write(third, 'CREATE INDEX CONCURRENTLY "two_id_idx" ON "two" ("id")');
    await begin(third);
    await query(`
      CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
      CREATE TRIGGER die BEFORE INSERT ON _prisma_migrations FOR EACH ROW EXECUTE FUNCTION die()`);
    expect(await failureOf(apply())).toMatchObject({ code: '57P01' });
    await query('DROP FUNCTION die CASCADE');
    expect(await apply()).toEqual({ applied: [third] });
    expect(await query(`SELECT count(*)::int AS n FROM _prisma_migrations WHERE migration_name = '${third}'`)).toEqual([
      { n: 2 },
    ]);
  });

  it.each(['invalid', 'valid'])('recreates an index that was left %s', async (state) => {
    await apply();
    await query('SET client_min_messages = error; CREATE INDEX two_id_idx ON two (id)');
    await query(`UPDATE pg_index SET indisvalid = ${state === 'valid'} WHERE indexrelid = 'two_id_idx'::regclass`);
    await folder.write(third, '-- By id.\nCREATE INDEX CONCURRENTLY "two_id_idx" ON "two" ("id")');
    await begin(third);
    expect(await apply()).toEqual({ applied: [third] });
    expect(await query("SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'two_id_idx'::regclass")).toEqual([
      { valid: true },
    ]);
  });
});

describe('applyMigrations with files that do not match the database', () => {
  beforeEach(async () => {
    await apply();
  });

  it('rejects an edited migration', async () => {
    await folder.write(first, 'CREATE TABLE one (id bigint);');
    const failure = await failureOf(apply());
    expect(failure).toMatchObject({ fault: 'edited', migration: first });
    expect(String(failure)).toContain('put the change into a new migration');
  });

  it('rejects a new migration whose name sorts before an applied migration', async () => {
    await folder.write('20260101120000_late', 'CREATE TABLE late (id int);');
    const failure = await failureOf(apply());
    expect(failure).toMatchObject({ fault: 'out_of_order', migration: '20260101120000_late' });
    expect(String(failure)).toContain('Rename its folder');
    expect(await query("SELECT to_regclass('late') AS late")).toEqual([{ late: null }]);
  });

  it('rejects a missing applied migration', async () => {
    await folder.remove(second);
    const failure = await failureOf(apply());
    expect(failure).toMatchObject({ fault: 'missing', migration: second });
    expect(String(failure)).toContain('Run the release that has it');
  });

  it('rejects a folder for another database', async () => {
    await writeFile(join(folder.path, 'migration_lock.toml'), 'provider = "mysql"\n');
    expect(await failureOf(apply())).toMatchObject({ fault: 'layout' });
  });

  it('rejects a folder without lock file and a migration without SQL', async () => {
    expect(await failureOf(applyMigrations({ url, folder: join(folder.path, first), log: () => {} }))).toMatchObject({
      fault: 'layout',
    });
    await folder.write(third, '');
    await folder.remove(join(third, 'migration.sql'));
    expect(await failureOf(apply())).toMatchObject({ fault: 'layout', migration: third });
  });
});

describe('readMigrationStatus', () => {
  it('lists applied and pending migrations without a change', async () => {
    const pending = { applied: [], pending: [first, second], unknown: [] };
    expect(await status()).toEqual({ ...pending, isDatabaseMissing: true });
    await dropScratchDatabase(url);
    url = await createScratchDatabase();
    expect(await status()).toEqual({ ...pending, isDatabaseMissing: false });
    expect(await query("SELECT to_regclass('_prisma_migrations') AS history")).toEqual([{ history: null }]);
    await apply();
    await folder.write(third, 'SELECT 1');
    expect(await status()).toEqual({
      applied: [first, second],
      pending: [third],
      unknown: [],
      isDatabaseMissing: false,
    });
  });
});
