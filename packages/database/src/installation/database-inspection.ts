import type pg from 'pg';
import { requirePreparedStatementSupport } from '../check-database-connection.js';
import { openUnpooledConnection } from '../migrations/connect-for-migrations.js';
import {
  changedCollationsSql,
  missingExtensionsSql,
  missingGrantsSql,
  missingMigrationGrantsSql,
  serverSql,
  unownedObjectsSql,
} from './inspection-sql.js';

/** Version and limits of a PostgreSQL server. */
export interface PostgresServerFacts {
  /** Name of the database. */
  readonly database: string;
  /** Identifier of the server's data directory, which its replicas share. */
  readonly clusterId: string;
  /** Version of the server, such as `17.5`. */
  readonly version: string;
  readonly majorVersion: number;
  /** Maximum number of connections that the role may open to the database. */
  readonly connectionLimit: number;
}

/** An extension that a database does not have. */
export interface MissingExtension {
  readonly name: string;
  /** True if the server can create the extension. */
  readonly isAvailable: boolean;
}

/** A collation whose version in the operating system differs from the version with which the indexes were built. */
export interface ChangedCollation {
  /** Name of the collation with its schema, or `default` for the collation of the database. */
  readonly name: string;
  readonly storedVersion: string;
  readonly actualVersion: string;
  /** Names of the indexes that are sorted by the collation, with their schemas. */
  readonly indexes: readonly string[];
  /** Statement that records the actual version after the indexes were rebuilt. */
  readonly refreshStatement: string;
}

/**
 * Reads facts about a PostgreSQL server, its database and the role of the connection. Each method opens a connection
 * outside the pool, closes it, and changes nothing.
 *
 * All methods throw an Error of pg or of the socket when the server cannot be reached or refuses the role.
 */
export class DatabaseInspection {
  /** @param now returns the time of this machine in milliseconds since the epoch */
  constructor(
    private readonly url: string,
    private readonly now: () => number = () => Date.now(),
  ) {}

  /** Reads the version of the PostgreSQL server, and the number of connections that the role may open. */
  async readServer(): Promise<PostgresServerFacts> {
    const [server] = await this.#read<PostgresServerFacts>(serverSql);
    if (server === undefined) throw new Error('The role of the connection does not exist.');
    return server;
  }

  /** Returns the statements that grant the missing rights to the role, for rows of all tables in the schemas. */
  async listMissingGrants(schemas: readonly string[]): Promise<string[]> {
    const rows = await this.#read<{ statement: string }>(missingGrantsSql, [schemas]);
    return rows.map(({ statement }) => statement);
  }

  /**
   * Returns the names of tables, views, sequences and functions in the schemas that the role cannot change, because
   * other roles own them.
   */
  async listUnownedObjects(schemas: readonly string[]): Promise<string[]> {
    const rows = await this.#read<{ name: string }>(unownedObjectsSql, [schemas]);
    return rows.map(({ name }) => name);
  }

  /** Returns the statements that permit the role to create the schemas, and tables in these schemas. */
  async listMissingMigrationGrants(schemas: readonly string[]): Promise<string[]> {
    const rows = await this.#read<{ statement: string }>(missingMigrationGrantsSql, [schemas]);
    return rows.map(({ statement }) => statement);
  }

  /**
   * Checks that a pooler in front of the server does not lose prepared statements.
   *
   * @throws UnsupportedPoolerError with the remedy
   */
  requirePreparedStatements(): Promise<void> {
    return requirePreparedStatementSupport(this.url);
  }

  /** Returns the extensions among `names` that the database does not have. */
  listMissingExtensions(names: readonly string[]): Promise<MissingExtension[]> {
    return this.#read<MissingExtension>(missingExtensionsSql, [names]);
  }

  /** Returns the collations of indexes whose version has changed. */
  listChangedCollations(): Promise<ChangedCollation[]> {
    return this.#read<ChangedCollation>(changedCollationsSql);
  }

  /**
   * Returns the time of the server minus the time of this machine, in milliseconds. The error is at most half of the
   * round trip of a statement.
   */
  readClockDifference(): Promise<number> {
    return this.#withConnection(async (client) => {
      const sentAt = this.now();
      const { rows } = await client.query<{ now: number }>(
        'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
      );
      return Math.round((rows[0]?.now ?? 0) - (sentAt + this.now()) / 2);
    });
  }

  #read<R extends object>(sql: string, values: unknown[] = []): Promise<R[]> {
    return this.#withConnection(async (client) => (await client.query<R>(sql, values)).rows);
  }

  async #withConnection<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = await openUnpooledConnection(this.url, 'switchboard check');
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  }
}
