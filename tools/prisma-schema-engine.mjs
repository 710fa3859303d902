// @ts-check
/**
 * Runs Prisma's schema engine as WebAssembly over `pg`.
 *
 * Prisma's CLI downloads a native schema engine. The engine is also available on npm, compiled to WebAssembly for
 * driver adapters. This module loads the WebAssembly engine, so that migrations, diffs and drift checks need no
 * download. The interface of the engine is not guaranteed to be stable. The engine's version is therefore pinned to the
 * version that the pinned CLI uses.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import pg from 'pg';

/**
 * Location of a PostgreSQL database in separate fields. A connection string must not be used: to open a shadow
 * database, adapter-pg overrides only `database`. A connection string would take precedence, and the work for the
 * shadow database would run on the real database.
 * @typedef {{ host: string, port: number, user: string, password?: string, database: string }} Location
 */

/**
 * Parses a PostgreSQL URL and returns the location of the database. Supports sockets (`?host=/folder`) and
 * percent-encoded parts.
 * @param {string} url
 * @returns {Location}
 */
export function parsePostgresUrl(url) {
  const { host, port, user, password, database } = new pg.Client({ connectionString: url });
  if (!database || !user) throw new Error('The database URL names no user or no database');
  return { host, port, user, database, ...(password ? { password } : {}) };
}

/**
 * Runs one SQL statement on a new connection to a database. Without a statement, only opens and closes the connection.
 *
 * @param {Location} location
 * @param {string} [sql]
 */
export async function runStatementOnNewConnection(location, sql) {
  const client = new pg.Client(location);
  await client.connect();
  try {
    if (sql) await client.query(sql);
  } finally {
    await client.end();
  }
}

/**
 * Creates an empty database with the database name in `location`.
 *
 * @param {Location} location
 */
export function createEmptyDatabase(location) {
  return runStatementOnNewConnection(
    { ...location, database: 'postgres' },
    `CREATE DATABASE ${pg.escapeIdentifier(location.database)}`,
  );
}

/**
 * Type id (OID) of PostgreSQL's type `"char"`. The engine's catalog queries return this type, but adapter-pg rejects
 * the type. Therefore results are declared as `"char"[]`, which adapter-pg supports, and the column types are corrected
 * afterwards.
 */
const postgresCharTypeId = 18;
/** Type id (OID) of PostgreSQL's type `"char"[]`. */
const postgresCharArrayTypeId = 1002;

/**
 * A connection pool that declares columns of type `"char"` as `"char"[]`, so that adapter-pg can read query results
 * with these columns.
 */
class CharColumnConvertingPool extends pg.Pool {
  /** @param {Location} location */
  constructor(location) {
    // One permanent connection, because the engine's advisory lock belongs to its session.
    super({ ...location, max: 1, idleTimeoutMillis: 0 });
    // The next query reports the loss of an idle connection. Without a listener, the event would end the process.
    this.on('error', () => {});
  }

  /** @param {string | import('pg').QueryConfig} query */
  async query(query) {
    const result = await super.query(query);
    for (const field of [result].flat().flatMap((part) => part?.fields ?? [])) {
      if (field.dataTypeID === postgresCharTypeId) field.dataTypeID = postgresCharArrayTypeId;
    }
    return result;
  }
}

/**
 * Returns a Prisma driver adapter for a connection pool. Like the native engine, the adapter sends an SQL script as a
 * whole. By contrast, adapter-pg splits a script at every semicolon, even in function bodies.
 *
 * @param {CharColumnConvertingPool} pool
 * @param {() => Promise<void>} dispose
 */
async function createPrismaPoolAdapter(pool, dispose) {
  const adapter = await new PrismaPg(pool).connect();
  const queryRaw = adapter.queryRaw.bind(adapter);
  /** @param {Parameters<typeof queryRaw>[0]} query */
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query);
    const { Character, CharacterArray } = ColumnTypeEnum;
    return { ...result, columnTypes: result.columnTypes.map((type) => (type === CharacterArray ? Character : type)) };
  };
  /** @param {string} script */
  adapter.executeScript = async (script) => {
    await pool.query(script).catch((error) => adapter.onError(error));
  };
  adapter.dispose = dispose;
  return adapter;
}

/** Connects Prisma's schema engine to the given database, and to the shadow databases that the engine creates. */
class SchemaEngineAdapterFactory {
  provider = 'postgres';
  adapterName = '@prisma/adapter-pg';

  /** @param {Location} location */
  constructor(location) {
    this.location = location;
  }

  async connect() {
    const pool = new CharColumnConvertingPool(this.location);
    return createPrismaPoolAdapter(pool, () => pool.end());
  }

  /**
   * Creates a shadow database and returns an adapter that is connected to the database. Unlike the method of
   * adapter-pg, the pool is closed before the database is dropped, because PostgreSQL does not drop a database with
   * connections.
   */
  async connectToShadowDb() {
    const database = `prisma_migrate_shadow_db_${randomUUID()}`;
    await runStatementOnNewConnection(this.location, `CREATE DATABASE "${database}"`);
    const pool = new CharColumnConvertingPool({ ...this.location, database });
    return createPrismaPoolAdapter(pool, async () => {
      await pool.end();
      await runStatementOnNewConnection(this.location, `DROP DATABASE "${database}" WITH (FORCE)`);
    });
  }
}

/** @type {WebAssembly.Instance | undefined} */
let schemaEngineWebAssemblyInstance;

/**
 * Loads the WebAssembly module of Prisma's schema engine. Repeated calls have no effect.
 *
 * @param {(message: string) => void} onPanic
 */
async function loadSchemaEngineModule(onPanic) {
  if (schemaEngineWebAssemblyInstance) return;
  // The module calls this global function if it panics.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: onPanic } });
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const bytes = readFileSync(entry.replace(/\.js$/, '_bg.wasm'));
  ({ instance: schemaEngineWebAssemblyInstance } = await WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': bindings,
  }));
  bindings.__wbg_set_wasm(schemaEngineWebAssemblyInstance.exports);
  schemaEngineWebAssemblyInstance.exports.__wbindgen_start();
}

/**
 * Opens Prisma's schema engine on a database. The caller must call `free()` of the engine after use. The connections of
 * the engine are closed when the process exits.
 * @param {{ location: Location, datamodels?: [path: string, content: string][], onPanic?: (message: string) => void }}
 *   options
 */
export async function openPrismaSchemaEngine({ location, datamodels, onPanic = (message) => console.error(message) }) {
  await loadSchemaEngineModule(onPanic);
  const factory = bindMigrationAwareSqlAdapterFactory(new SchemaEngineAdapterFactory(location));
  return bindings.SchemaEngine.new({ datamodels }, () => {}, factory);
}
