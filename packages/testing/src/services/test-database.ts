import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { testServices } from '../config.js';

/** What {@link testDatabase} needs. */
export interface TestDatabaseOptions {
  /** Lower-case letters, digits and underscores, at most 20: the suite or app that the database is for. */
  name: string;
  /**
   * Changes whenever `prepare` would make something else: a hash of the migrations and of the seed data
   * (`hashFolder`). A template that exists for it is used again, in later runs too.
   */
  hash: string;
  /** Migrates and fills the empty database at `url`, and closes its connections. Called only when there is no template. */
  prepare(url: string): Promise<void>;
}

/** One database of a test's own. */
export interface TestDatabase {
  url: string;
  /** Drops it, whoever is still connected. */
  drop(): Promise<void>;
}

/** Clones that a killed run left behind are dropped after this time, in milliseconds. */
const ABANDONED_MS = 6 * 3_600_000;

/** The advisory lock under which templates are made and cloned. Its number has no meaning. */
const LOCK = 727_072_001;

/**
 * Clones a database from a prepared template (`CREATE DATABASE … TEMPLATE`). Workers and runs that need the same
 * template at once wait for the first to prepare it.
 *
 * @throws Error when `prepare` throws, or leaves connections open
 */
export async function testDatabase(options: TestDatabaseOptions): Promise<TestDatabase> {
  if (!/^[a-z0-9_]{1,20}$/.test(options.name)) {
    throw new Error(`Not a name for a test database: ${options.name}`);
  }
  const base = `sbt_${options.name}`;
  const clone = `${base}_${Date.now().toString(36)}_${randomBytes(4).toString('hex')}`;
  await withServer(async (server) => {
    await server.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const template = `${base}_tpl_${createHash('sha256').update(options.hash).digest('hex').slice(0, 16)}`;
    await ensureTemplate(server, base, template, options);
    await server.query(`CREATE DATABASE "${clone}" TEMPLATE "${template}"`);
  });
  return { url: databaseUrl(clone), drop: () => dropDatabase(clone) };
}

async function ensureTemplate(
  server: pg.Client,
  base: string,
  template: string,
  options: TestDatabaseOptions,
): Promise<void> {
  const existing = await server.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
  if (existing.rowCount === 1) {
    return;
  }
  await dropAbandoned(server, base);
  // It gets its name when it is whole: one that a killed run left half-made is never cloned.
  const draft = `${base}_draft`;
  await server.query(`DROP DATABASE IF EXISTS "${draft}" WITH (FORCE)`);
  await server.query(`CREATE DATABASE "${draft}"`);
  await options.prepare(databaseUrl(draft));
  await untilUnused(server, draft);
  await server.query(`ALTER DATABASE "${draft}" RENAME TO "${template}"`);
}

/** Drops the templates of earlier states, and clones that are hours old. */
async function dropAbandoned(server: pg.Client, base: string): Promise<void> {
  const { rows } = await server.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [`${base}_`],
  );
  for (const { datname } of rows) {
    const name = datname.slice(base.length + 1);
    const isTemplate = name.startsWith('tpl_');
    const madeAt = /^([0-9a-z]{8})_[0-9a-f]{8}$/.exec(name)?.[1];
    const isOldClone = madeAt !== undefined && Date.now() - parseInt(madeAt, 36) > ABANDONED_MS;
    if (isTemplate || isOldClone) {
      await server.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`);
    }
  }
}

/** A connection that was closed is gone for the server a moment later. */
async function untilUnused(server: pg.Client, database: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const { rowCount } = await server.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1', [database]);
    if (rowCount === 0) {
      return;
    }
    await delay(50);
  }
  throw new Error('prepare must close its connections: a database in use cannot be a template');
}

async function dropDatabase(name: string): Promise<void> {
  await withServer(async (server) => {
    await server.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  });
}

async function withServer(run: (server: pg.Client) => Promise<void>): Promise<void> {
  const server = new pg.Client({ connectionString: testServices().postgresUrl });
  await server.connect();
  try {
    await run(server);
  } finally {
    // Ends the session, and with it the lock.
    await server.end();
  }
}

function databaseUrl(database: string): string {
  const url = new URL(testServices().postgresUrl);
  url.pathname = `/${database}`;
  return url.href;
}
