// @ts-check
/**
 * Prisma's schema engine as WebAssembly, run over `pg`.
 *
 * Prisma's CLI downloads a native schema engine. The same engine is on npm, compiled to WebAssembly for use with
 * driver adapters; this module loads it, so that migrations, diffs and drift checks need no download. The package
 * promises no stable interface: its version is pinned to the one that the pinned CLI names.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import pg from 'pg';

/**
 * Location of a database. Discrete fields and never a connection string: adapter-pg opens a shadow database by
 * overriding `database`, which a connection string beats, and the shadow work would run on the real database.
 * @typedef {{ host: string, port: number, user: string, password?: string, database: string }} Location
 */

/**
 * Reads a PostgreSQL URL, sockets (`?host=/folder`) and percent-encoded parts included.
 * @param {string} url
 * @returns {Location}
 */
export function parseLocation(url) {
  const { host, port, user, password, database } = new pg.Client({ connectionString: url });
  if (!database || !user) throw new Error('The database URL names no user or no database');
  return { host, port, user, database, ...(password ? { password } : {}) };
}

/**
 * Runs one statement, or only connects, on a connection of its own.
 * @param {Location} location
 * @param {string} [sql]
 */
export async function runOnce(location, sql) {
  const client = new pg.Client(location);
  await client.connect();
  try {
    if (sql) await client.query(sql);
  } finally {
    await client.end();
  }
}

/**
 * Creates the database that `location` names.
 * @param {Location} location
 */
export function createDatabase(location) {
  return runOnce({ ...location, database: 'postgres' }, `CREATE DATABASE ${pg.escapeIdentifier(location.database)}`);
}

/**
 * Type numbers of PostgreSQL's `"char"`, which the engine's catalogue queries return and adapter-pg refuses, and of
 * `"char"[]`, which it knows. Results are passed off as the second, and the column types then set right.
 */
const charOid = 18;
const charArrayOid = 1002;

/** A pool whose results adapter-pg can read. */
class CatalogPool extends pg.Pool {
  /** @param {Location} location */
  constructor(location) {
    // One connection that stays: the engine's advisory lock lives as long as its session.
    super({ ...location, max: 1, idleTimeoutMillis: 0 });
    // A lost idle connection shows at the next query; without a listener it would end the process.
    this.on('error', () => {});
  }

  /** @param {string | import('pg').QueryConfig} query */
  async query(query) {
    const result = await super.query(query);
    for (const field of [result].flat().flatMap((part) => part?.fields ?? [])) {
      if (field.dataTypeID === charOid) field.dataTypeID = charArrayOid;
    }
    return result;
  }
}

/**
 * The adapter over one pool. A script goes to the server whole, as the native engine sends it: adapter-pg cuts it
 * at every semicolon, function bodies included.
 * @param {CatalogPool} pool
 * @param {() => Promise<void>} dispose
 */
async function connectAdapter(pool, dispose) {
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

/** Opens databases for the engine: the given one, and shadow databases. */
class AdapterFactory {
  provider = 'postgres';
  adapterName = '@prisma/adapter-pg';

  /** @param {Location} location */
  constructor(location) {
    this.location = location;
  }

  async connect() {
    const pool = new CatalogPool(this.location);
    return connectAdapter(pool, () => pool.end());
  }

  /** adapter-pg's own drops the shadow database before it closes its pool, which PostgreSQL refuses. */
  async connectToShadowDb() {
    const database = `prisma_migrate_shadow_db_${randomUUID()}`;
    await runOnce(this.location, `CREATE DATABASE "${database}"`);
    const pool = new CatalogPool({ ...this.location, database });
    return connectAdapter(pool, async () => {
      await pool.end();
      await runOnce(this.location, `DROP DATABASE "${database}" WITH (FORCE)`);
    });
  }
}

/** @type {WebAssembly.Instance | undefined} */
let instance;

/** @param {(message: string) => void} onPanic */
async function loadBindings(onPanic) {
  if (instance) return;
  // The module calls this global by name when it panics.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: onPanic } });
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const bytes = readFileSync(entry.replace(/\.js$/, '_bg.wasm'));
  ({ instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': bindings }));
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
}

/**
 * An engine over one database. Call `free()` when done; its connections close when the process ends.
 * @param {{ location: Location, datamodels?: [path: string, content: string][], onPanic?: (message: string) => void }} options
 */
export async function openSchemaEngine({ location, datamodels, onPanic = (message) => console.error(message) }) {
  await loadBindings(onPanic);
  const factory = bindMigrationAwareSqlAdapterFactory(new AdapterFactory(location));
  return bindings.SchemaEngine.new({ datamodels }, () => {}, factory);
}
