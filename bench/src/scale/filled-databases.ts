import pg from 'pg';
import type { LocalServices } from '@switchboard/local-services';
import { runAdminCommand } from '../benchmark-services.js';
import type { ServiceWithGeneratedDatabase, DatabaseSizeName } from './scale-app.js';
import { fillDatabase } from './fill-database.js';
import { migrateDatabaseUnderLoad } from './migrate-under-load.js';

/** PostgreSQL server that contains the filled databases, and the environment variables of the measured services. */
export interface DatabaseFillEnvironment {
  readonly services: LocalServices;
  readonly env: Record<string, string>;
  readonly log: (line: string) => void;
  /** True if databases are filled again although they are already filled. */
  readonly refill: boolean;
}

/**
 * Copies the filled database of one size. Creates and fills that database if it does not exist. Before the copy,
 * applies the missing migrations to the filled database. For each migration, prints its duration and the longest time
 * for which the migration blocked a reader and a writer.
 *
 * @returns the name of the copy
 */
export async function copyFilledDatabase(
  app: ServiceWithGeneratedDatabase,
  size: DatabaseSizeName,
  { services, env, log, refill }: DatabaseFillEnvironment,
): Promise<string> {
  const filled = `filled_${app.name}_${size}_${app.fillVersion}`;
  const url = services.postgresUrl(filled);
  const server = new pg.Client({ connectionString: services.postgresUrl('postgres') });
  await server.connect();
  try {
    await dropOutdatedFilledDatabase(server, app, size, refill ? '' : filled);
    const started = performance.now();
    if (await isFilledDatabasePrepared(server, services, filled)) {
      await migrateDatabaseUnderLoad(app.name, url, log);
    } else {
      log(`Filling ${filled}`);
      await server.query(`DROP DATABASE IF EXISTS ${filled} WITH (FORCE)`);
      for (const args of app.preparation) runAdminCommand(app.name, { ...env, DATABASE_URL: url }, args);
    }
    await fillDatabase(url, app, size, log);
    log(`${filled} was ready after ${((performance.now() - started) / 1000).toFixed(1)} s`);
    const copy = `run_${app.name}`;
    await server.query(`DROP DATABASE IF EXISTS ${copy} WITH (FORCE)`);
    await server.query(`CREATE DATABASE ${copy} TEMPLATE ${filled} STRATEGY FILE_COPY`);
    await prepareDatabaseCopy(services.postgresUrl(copy), app.beforeStart);
    return copy;
  } finally {
    await server.end();
  }
}

/** Drops the copy of a filled database that one run of the benchmark used. */
export async function dropDatabaseCopy(services: LocalServices, copy: string): Promise<void> {
  const server = new pg.Client({ connectionString: services.postgresUrl('postgres') });
  await server.connect();
  await server.query(`DROP DATABASE IF EXISTS ${copy} WITH (FORCE)`);
  await server.end();
}

async function doesDatabaseExist(server: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await server.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  return rowCount === 1;
}

async function dropOutdatedFilledDatabase(
  server: pg.Client,
  app: ServiceWithGeneratedDatabase,
  size: DatabaseSizeName,
  kept: string,
): Promise<void> {
  const { rows } = await server.query<{ datname: string }>(
    `SELECT datname FROM pg_database WHERE datname LIKE $1 AND datname <> $2`,
    [`filled\\_${app.name}\\_${size}\\_%`, kept],
  );
  for (const { datname } of rows) await server.query(`DROP DATABASE ${datname} WITH (FORCE)`);
}

/**
 * Returns true if the admin commands have run on a database. The check looks for the progress table, which the filling
 * creates only after the admin commands.
 */
async function isFilledDatabasePrepared(server: pg.Client, services: LocalServices, name: string): Promise<boolean> {
  if (!(await doesDatabaseExist(server, name))) return false;
  const client = new pg.Client({ connectionString: services.postgresUrl(name) });
  await client.connect();
  const { rows } = await client.query<{ found: boolean }>(`SELECT to_regclass('scale.steps') IS NOT NULL AS found`);
  await client.end();
  return rows[0]?.found ?? false;
}

async function prepareDatabaseCopy(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('DROP SCHEMA scale CASCADE');
  for (const statement of statements) await client.query(statement);
  await client.end();
}
