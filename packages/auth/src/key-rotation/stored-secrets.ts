import type { PepperedSecretDigester } from '../pepper.js';
import type { SecretTextEncryptor } from '../secret-box.js';

/** Keys of a service: the keys that encrypt secrets, and the peppers for digests of tokens. */
export interface ServiceKeysAndPeppers {
  readonly box: SecretTextEncryptor;
  readonly pepper: PepperedSecretDigester;
}

/**
 * Database or transaction that can run an SQL statement. `Database` and `Tx` of `@switchboard/database` implement this
 * interface.
 */
export interface SecretsQueryExecutor {
  query<R>(sql: string, values?: unknown[]): Promise<{ readonly rows: R[] }>;
}

/** Database that contains the secrets of a service. `Database` of `@switchboard/database` implements this interface. */
export interface SecretsDatabase extends SecretsQueryExecutor {
  /**
   * Runs `run` in one transaction with the isolation level READ COMMITTED, then commits the transaction. Returns the
   * result of `run`.
   */
  inTransaction<T>(run: (tx: SecretsQueryExecutor) => Promise<T>): Promise<T>;
}

/** Values of a table row by column name, each in PostgreSQL's text form. */
export type RowTextsByColumn = Readonly<Record<string, string>>;

/**
 * Description of a column with digests of encrypted secrets. The same row contains the encrypted secret, from which the
 * digest can be computed again.
 */
export interface RecomputableDigestColumn {
  readonly column: string;
  /**
   * Name of the column with the number of the pepper. Without this column, the pepper is found by comparing the stored
   * digest with digests under all peppers.
   */
  readonly pepperIdColumn?: string;
  /** Returns the text of which the digest is computed. */
  digestedText(plaintext: string, row: RowTextsByColumn): string;
}

/**
 * Database column whose values are texts encrypted by {@link SecretTextEncryptor}, or JSON that contains encrypted texts. The
 * values null and '' are not encrypted.
 */
export interface EncryptedColumn {
  /** Name in SQL of the table that contains the column with encrypted texts. */
  readonly table: string;
  /** SQL types of the primary key columns by column name, in the order of the primary key. */
  readonly primaryKey: Readonly<Record<string, string>>;
  readonly column: string;
  /**
   * Defined only for a JSON column: the SQL type of the column, and the name of the JSON properties whose values are
   * encrypted texts.
   */
  readonly json?: { readonly type: 'json' | 'jsonb'; readonly property: string };
  /** SQL condition of the rows that contain encrypted texts. Default: all rows. */
  readonly where?: string;
  /**
   * Names of the columns that the function `purpose` needs, in addition to the primary key and the encrypted column.
   */
  readonly purposeColumns?: readonly string[];
  /**
   * Returns the associated data (in the sense of authenticated encryption) with which the texts of a row are encrypted.
   */
  purpose(row: RowTextsByColumn): string;
  readonly digest?: RecomputableDigestColumn;
  /**
   * Change of rows whose encrypted text is lost together with its key. `clear` sets the column and its digest to null,
   * `delete` deletes the row. If undefined, such rows are not changed. Not supported for JSON columns.
   */
  readonly whenLost?: 'clear' | 'delete';
}

/**
 * Database column with digests of secrets, which are not stored themselves. A digest is computed again under the
 * current pepper when a client presents the secret.
 */
export interface StandaloneDigestColumn {
  /** Name in SQL of the table that contains the column with digests. */
  readonly table: string;
  readonly column: string;
  readonly pepperIdColumn: string;
  /**
   * SQL expression for the time at which the secret of a digest was last used, or was created if it has never been
   * used.
   */
  readonly lastUsedSql: string;
}

/** All columns of a service's database that contain encrypted texts or digests computed with a pepper. */
export interface StoredSecretColumns {
  readonly sealed: readonly EncryptedColumn[];
  readonly digests: readonly StandaloneDigestColumn[];
}

/** Returns the qualified name of a database column for messages to operators, such as `users.api_key_sealed`. */
export function getQualifiedColumnName({ table, column }: { readonly table: string; readonly column: string }): string {
  return `${table}.${column}`;
}
