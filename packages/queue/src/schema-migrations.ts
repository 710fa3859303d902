import type { QueueConnection, QueuePool, QueueTx } from './database.js';
import { beginTransactionWithMigrationLock, describeMigrationLockHolder } from './migration-lock.js';
import { QueueMigrationError } from './queue-migration-error.js';
import {
  createMigrationVersionTableSql,
  readQueueMigrationFiles,
  createMigrationRecordSql,
  type QueueMigrationFile,
} from './migration-files.js';
import { compareReleaseVersions, readOldestCompatibleReleases } from './oldest-compatible-releases.js';
import { toSchemaIdentifier } from './queue-schema.js';
import type { Release } from './release.js';

interface AppliedMigrationRow {
  version: number;
  name: string;
  checksum: string;
  applied_ms: number;
}

/** State of the migrations of a schema. All lists have the order of the migration files. */
export interface QueueMigrationStatus {
  /** Names of the applied migration files, with the time at which the file was applied. */
  applied: { name: string; appliedAt: Date }[];
  /** Names of the migration files that are not applied yet. */
  pending: string[];
  /**
   * Names of applied migration files that are missing in this version of the package. A newer version has applied these
   * files.
   */
  unknown: string[];
  /** Names of applied migration files whose text has changed after they were applied. */
  edited: string[];
  /** Error that `apply` would throw before it applies any migration; undefined if `apply` would throw none. */
  problem: QueueMigrationError | undefined;
}

/** Migration files of a package whose tables have a separate schema. */
export interface PackageMigrationFiles {
  /** Folder with the migration files, which have names like `001_outbox.sql`. */
  readonly folder: URL;
  /** Name of the package in error messages about migrations, for example `queue`. */
  readonly subject: string;
  /** Schema name that the migration files contain, and default name of the schema. The name needs no quotes in SQL. */
  readonly defaultSchema: string;
  /** Version of the package's release and version of the previous release. */
  readonly release: Release;
}

/** Schema name and lock timeout of a migration. */
export interface SchemaMigrationOptions {
  /**
   * Name of the schema, made of lower-case letters, digits and `_`. The schema must contain only the tables of the
   * package.
   */
  schema?: string;
  /** Maximum time to wait for another process that migrates the schema, in milliseconds. Default 60,000. */
  lockTimeoutMs?: number;
}

/**
 * Migrates the tables of a package in a schema, which has a separate version table. Each method accepts a schema name
 * and throws QueueUsageError for a name that is not a plain identifier.
 */
export class SchemaMigrations {
  constructor(private readonly set: PackageMigrationFiles) {}

  /**
   * Applies the pending migration files in one transaction; a second call has no effect. Many processes may call the
   * method concurrently, even through a connection pooler. If no file is pending, the method takes no lock and needs no
   * right to create objects.
   *
   * @returns the names of the files applied now
   * @throws QueueMigrationError when an applied file was edited later, or is unknown and needs a later version of the
   * package. Also when another session has the migration lock for too long
   */
  async applyPendingMigrations(
    pool: QueuePool,
    { schema: name = this.set.defaultSchema, lockTimeoutMs = 60_000 }: SchemaMigrationOptions = {},
  ): Promise<{ applied: string[] }> {
    const migrations = await this.#read(name);
    const connection = await pool.connect();
    let broken = true;
    try {
      const isPending = (await this.#findMissing(connection, name, migrations)).length > 0;
      const applied = isPending ? await this.#applyMissing(connection, name, migrations, lockTimeoutMs) : [];
      broken = false;
      return { applied };
    } finally {
      // If anything failed, closing the connection ends its transaction.
      connection.release(broken);
    }
  }

  /**
   * Returns the state of the migrations of a schema. Changes nothing and takes no lock. For a schema that does not
   * exist, all files are pending.
   */
  async readMigrationStatus(pool: QueueTx, schema = this.set.defaultSchema): Promise<QueueMigrationStatus> {
    const migrations = await this.#read(schema);
    return this.#compare(pool, schema, migrations);
  }

  /**
   * Returns the SQL of all migrations in order, for the migration tool of a service. The SQL of a file contains several
   * statements and must run in one transaction. The SQL also records the file, so that {@link applyPendingMigrations} and {@link readMigrationStatus}
   * regard the file as applied.
   */
  async listMigrationSql(schema = this.set.defaultSchema): Promise<{ name: string; sql: string }[]> {
    const identifier = this.#identifier(schema);
    const migrations = await this.#read(schema);
    return migrations.map((migration, index) => ({
      name: migration.name,
      sql: [
        ...(index === 0 ? [`${createMigrationVersionTableSql(identifier)};`] : []),
        migration.sql.trimEnd(),
        `${createMigrationRecordSql(identifier, migration)};\n`,
      ].join('\n'),
    }));
  }

  /**
   * Returns the SQL of {@link listMigrationSql} as one text. The text creates the tables in one transaction, for example with
   * `psql`.
   */
  async createMigrationScript(schema = this.set.defaultSchema): Promise<string> {
    const files = await this.listMigrationSql(schema);
    return ['BEGIN;', ...files.map(({ name, sql }) => `-- ${name}\n${sql}`), 'COMMIT;\n'].join('\n');
  }

  #identifier(schema: string): string {
    return toSchemaIdentifier(schema, this.set);
  }

  #read(schema: string): Promise<QueueMigrationFile[]> {
    return readQueueMigrationFiles(this.set, this.#identifier(schema));
  }

  async #applyMissing(
    connection: QueueConnection,
    name: string,
    migrations: readonly QueueMigrationFile[],
    lockTimeoutMs: number,
  ): Promise<string[]> {
    const schema = this.#identifier(name);
    if (!(await beginTransactionWithMigrationLock(connection, lockTimeoutMs))) {
      const waited = `Waited ${Math.round(lockTimeoutMs / 1000)} s for the lock of the ${this.set.subject} migrations.`;
      throw new QueueMigrationError(`${waited} ${await describeMigrationLockHolder(connection)}`);
    }
    // Another process may have applied them meanwhile.
    const missing = await this.#findMissing(connection, name, migrations);
    if (missing.length > 0 && missing.length === migrations.length) {
      await connection.query(createMigrationVersionTableSql(schema));
    }
    for (const migration of missing) {
      await connection.query(migration.sql);
      await connection.query(createMigrationRecordSql(schema, migration));
    }
    await connection.query('COMMIT');
    return missing.map((migration) => migration.name);
  }

  async #listApplied(connection: QueueTx, name: string): Promise<AppliedMigrationRow[]> {
    // Not to_regclass(): within a transaction it may use a cache entry older than the commit of the process whose lock
    // this one waited for. A scan of the catalog finds every committed table.
    const { rows } = await connection.query<{ exists: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'migrations') AS exists`,
      [name],
    );
    if (rows[0]?.exists !== true) return [];
    const applied = await connection.query<AppliedMigrationRow>(
      `SELECT version, name, checksum, (extract(epoch FROM applied_at) * 1000)::float8 AS applied_ms
       FROM ${this.#identifier(name)}.migrations ORDER BY version`,
    );
    return applied.rows;
  }

  /**
   * Returns the migrations that are not applied yet, in order.
   *
   * @throws QueueMigrationError that is the `problem` of the {@link QueueMigrationStatus}
   */
  async #findMissing(
    connection: QueueTx,
    name: string,
    migrations: readonly QueueMigrationFile[],
  ): Promise<readonly QueueMigrationFile[]> {
    const { pending, problem } = await this.#compare(connection, name, migrations);
    if (problem !== undefined) throw problem;
    return migrations.filter((migration) => pending.includes(migration.name));
  }

  async #compare(
    connection: QueueTx,
    name: string,
    migrations: readonly QueueMigrationFile[],
  ): Promise<QueueMigrationStatus> {
    const state = compareAppliedMigrationsWithFiles(await this.#listApplied(connection, name), migrations);
    const [edited] = state.edited;
    const problem =
      (await this.#problemOfUnknown(connection, name, state.unknown)) ??
      (edited === undefined ? undefined : this.#problemOfEdited(edited));
    return { ...state, problem };
  }

  #problemOfEdited(name: string): QueueMigrationError {
    const { subject } = this.set;
    const migration = `${subject.charAt(0).toUpperCase()}${subject.slice(1)} migration ${name}`;
    return new QueueMigrationError(
      `${migration} was edited after it was applied: restore the file and put the change into a new one.`,
    );
  }

  /**
   * Returns the error that prevents this version of the package from running against the unknown migrations of a newer
   * version. Returns undefined if this version can run against all unknown migrations.
   */
  async #problemOfUnknown(
    connection: QueueTx,
    name: string,
    unknown: readonly string[],
  ): Promise<QueueMigrationError | undefined> {
    if (unknown.length === 0) return undefined;
    const { subject, release } = this.set;
    const oldest = await readOldestCompatibleReleases(
      connection,
      { name, identifier: this.#identifier(name) },
      unknown,
    );
    const unmarked = unknown.find((migration) => !oldest.has(migration));
    if (unmarked !== undefined) {
      return new QueueMigrationError(
        `The database has ${subject} migration ${unmarked}, which this version of the package (${release.version}) ` +
          'does not know: deploy the newer version.',
      );
    }
    const [newest] = [...oldest].sort(([, left], [, right]) => compareReleaseVersions(right, left));
    if (newest === undefined || compareReleaseVersions(release.version, newest[1]) >= 0) return undefined;
    const [migration, version] = newest;
    return new QueueMigrationError(
      `The database has ${subject} migration ${migration}, which needs version ${version} of the package or later. ` +
        `This is version ${release.version}: deploy version ${version} or later.`,
    );
  }
}

function compareAppliedMigrationsWithFiles(
  rows: readonly AppliedMigrationRow[],
  migrations: readonly QueueMigrationFile[],
): Omit<QueueMigrationStatus, 'problem'> {
  const files = new Map(migrations.map((migration) => [migration.version, migration]));
  const done = new Set(rows.map(({ version }) => version));
  const isEdited = ({ version, checksum }: AppliedMigrationRow): boolean =>
    files.has(version) && files.get(version)?.checksum !== checksum;
  return {
    applied: rows.map(({ name, applied_ms }) => ({ name, appliedAt: new Date(applied_ms) })),
    pending: migrations.filter(({ version }) => !done.has(version)).map(({ name }) => name),
    unknown: rows.filter(({ version }) => !files.has(version)).map(({ name }) => name),
    edited: rows.filter(isEdited).map(({ name }) => name),
  };
}
