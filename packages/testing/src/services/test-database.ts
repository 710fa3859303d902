import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { getTestRunId, getTestServerAddresses } from '../test-configuration.js';
import { recordTemplateDatabaseStateSql, resetDatabaseToTemplate } from './reset-database-to-template.js';

/** Name and content of the template from which {@link openTestDatabase} clones a database. */
export interface TestDatabaseOptions {
  /**
   * Name of the test suite or app, which is part of the test database's name: lower-case letters, digits and
   * underscores, at most 20.
   */
  name: string;
  /**
   * Hash of the migrations and of the seed data (`hashFoldersContent`). The hash must change whenever `prepare` would
   * create another database. A template with this hash is reused, even if an earlier test run created the template.
   */
  hash: string;
  /**
   * Migrates and fills the empty database at `url`, and closes its connections. Called only if there is no template
   * database with the hash.
   */
  prepare(url: string): Promise<void>;
  /**
   * True for a database that no test has used before. Tests of query plans need an unused database, because plans
   * depend on table statistics.
   */
  unused?: boolean;
}

/** A database for one test, and the URL of this database. */
export interface TestDatabase {
  url: string;
  /**
   * Returns the test database, so that later tests of this process can use the database after a reset to its template.
   */
  release(): Promise<void>;
}

/** Age in milliseconds after which databases of a killed test run are dropped. */
const ABANDONED_DATABASE_AGE_MS = 6 * 3_600_000;

/**
 * Key of the PostgreSQL advisory lock under which template databases are created and cloned. The number is arbitrary.
 */
const TEMPLATE_DATABASE_LOCK_KEY = 727_072_001;

/** Names of the test databases that tests have released, by the name of their template. */
const releasedDatabasesByTemplate = new Map<string, string[]>();

/**
 * Returns a test database that equals a prepared template. The database is a released database after its reset, or a
 * new clone (`CREATE DATABASE … TEMPLATE`). Concurrent callers wait until the first caller has prepared the template.
 *
 * @throws Error when `prepare` throws, or leaves connections open
 */
export async function openTestDatabase(options: TestDatabaseOptions): Promise<TestDatabase> {
  if (!/^[a-z0-9_]{1,20}$/.test(options.name)) {
    throw new Error(`Not a name for a test database: ${options.name}`);
  }
  const base = `sbt_${options.name}`;
  const template = `${base}_tpl_${createHash('sha256')
    .update(options.hash + recordTemplateDatabaseStateSql)
    .digest('hex')
    .slice(0, 16)}`;
  const name = await runWithTestServerConnection(
    async (server) =>
      (options.unused ? undefined : await resetAndReuseReleasedDatabase(server, template)) ??
      (await cloneTemplateDatabase(server, base, template, options)),
  );
  return {
    url: createTestDatabaseUrl(name),
    release: async () =>
      void releasedDatabasesByTemplate.set(template, [...(releasedDatabasesByTemplate.get(template) ?? []), name]),
  };
}

/** Resets a released test database and returns its name. Drops databases that cannot be reset. */
async function resetAndReuseReleasedDatabase(server: pg.Client, template: string): Promise<string | undefined> {
  for (;;) {
    const name = releasedDatabasesByTemplate.get(template)?.pop();
    if (name === undefined) return undefined;
    if (
      (await hasDatabaseNoConnections(server, name)) &&
      (await runWithTestServerConnection(resetDatabaseToTemplate, createTestDatabaseUrl(name)))
    )
      return name;
    await server.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  }
}

async function cloneTemplateDatabase(
  server: pg.Client,
  base: string,
  template: string,
  options: TestDatabaseOptions,
): Promise<string> {
  const name = `${base}_${Date.now().toString(36)}_${getTestRunId()}_${randomBytes(4).toString('hex')}`;
  await server.query('SELECT pg_advisory_lock($1)', [TEMPLATE_DATABASE_LOCK_KEY]);
  await createTemplateDatabaseIfMissing(server, base, template, options);
  await server.query(`CREATE DATABASE "${name}" TEMPLATE "${template}"`);
  await server.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_DATABASE_LOCK_KEY]);
  return name;
}

/** Drops all databases of the test run, including released databases. */
export async function dropTestDatabases(): Promise<void> {
  await runWithTestServerConnection(async (server) => {
    const { rows } = await server.query<{ datname: string }>('SELECT datname FROM pg_database WHERE datname ~ $1', [
      `^sbt_.*_${getTestRunId()}_[0-9a-f]{8}$`,
    ]);
    for (const { datname } of rows) await server.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`);
  });
}

async function createTemplateDatabaseIfMissing(
  server: pg.Client,
  base: string,
  template: string,
  options: TestDatabaseOptions,
): Promise<void> {
  const existing = await server.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
  if (existing.rowCount === 1) {
    return;
  }
  await dropAbandonedDatabases(server, base);
  // The template gets its name when it is complete, so that a partial one of a killed run is never cloned.
  const draft = `${base}_draft`;
  await server.query(`DROP DATABASE IF EXISTS "${draft}" WITH (FORCE)`);
  await server.query(`CREATE DATABASE "${draft}"`);
  await options.prepare(createTestDatabaseUrl(draft));
  if (!(await hasDatabaseNoConnections(server, draft))) {
    throw new Error('prepare must close its connections: a database in use cannot be a template');
  }
  await runWithTestServerConnection(
    (prepared) => prepared.query(recordTemplateDatabaseStateSql),
    createTestDatabaseUrl(draft),
  );
  await hasDatabaseNoConnections(server, draft);
  await server.query(`ALTER DATABASE "${draft}" RENAME TO "${template}"`);
}

/** Drops template databases with outdated contents, and databases that earlier test runs left behind. */
async function dropAbandonedDatabases(server: pg.Client, base: string): Promise<void> {
  const { rows } = await server.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [`${base}_`],
  );
  for (const { datname } of rows) {
    const name = datname.slice(base.length + 1);
    const isTemplate = name.startsWith('tpl_');
    const madeAt = /^([0-9a-z]{8})_[0-9a-z]+_[0-9a-f]{8}$/.exec(name)?.[1];
    const isOldClone = madeAt !== undefined && Date.now() - parseInt(madeAt, 36) > ABANDONED_DATABASE_AGE_MS;
    if (isTemplate || isOldClone) {
      await server.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`);
    }
  }
}

/**
 * Returns true if a database has no connections. Repeats the check for a short time, because PostgreSQL notices closed
 * connections with a delay.
 */
async function hasDatabaseNoConnections(server: pg.Client, database: string): Promise<boolean> {
  const connected = "SELECT FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'";
  for (let attempt = 0; attempt < 100; attempt++) {
    const { rowCount } = await server.query(connected, [database]);
    if (rowCount === 0) return true;
    await delay(20);
  }
  return false;
}

async function runWithTestServerConnection<T>(
  run: (server: pg.Client) => Promise<T>,
  url: string = getTestServerAddresses().postgresUrl,
): Promise<T> {
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  try {
    return await run(server);
  } finally {
    // Ends the session, and with it the lock.
    await server.end();
  }
}

function createTestDatabaseUrl(database: string): string {
  const url = new URL(getTestServerAddresses().postgresUrl);
  url.pathname = `/${database}`;
  return url.href;
}
