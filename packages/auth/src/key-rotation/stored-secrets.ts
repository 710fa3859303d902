import type { Pepper } from '../pepper.js';
import type { SecretBox } from '../secret-box.js';

/** Keys of a service: for encryption of secrets, and for digests of tokens. */
export interface ServiceKeys {
  readonly box: SecretBox;
  readonly pepper: Pepper;
}

/** Runs a statement. `Database` and `Tx` of `@switchboard/database` implement it. */
export interface SecretsQueryable {
  query<R>(sql: string, values?: unknown[]): Promise<{ readonly rows: R[] }>;
}

/** Database that contains the secrets of a service. `Database` of `@switchboard/database` implements it. */
export interface SecretsDatabase extends SecretsQueryable {
  /** Runs `run` in one transaction with the isolation level READ COMMITTED, and commits. */
  inTransaction<T>(run: (tx: SecretsQueryable) => Promise<T>): Promise<T>;
}

/** Values of a row by column, each as PostgreSQL writes it as text. */
export type SealedRowTexts = Readonly<Record<string, string>>;

/** Digest of an encrypted secret that the same row contains. It can be computed again from the secret. */
export interface ComputableDigest {
  readonly column: string;
  /** Column with the number of the pepper. Without it the pepper is found by comparing digests. */
  readonly pepperIdColumn?: string;
  /** Returns the text of which the digest is computed. */
  digestedText(plaintext: string, row: SealedRowTexts): string;
}

/** Column whose values are encrypted by {@link SecretBox}, or contain such texts. Null and '' are not encrypted. */
export interface SealedColumn {
  /** Name of the table in SQL. */
  readonly table: string;
  /** Columns of the primary key in its order, with their SQL types. */
  readonly primaryKey: Readonly<Record<string, string>>;
  readonly column: string;
  /** Set for a column of JSON: its SQL type, and the name of the properties that are encrypted texts. */
  readonly json?: { readonly type: 'json' | 'jsonb'; readonly property: string };
  /** SQL condition of the rows that contain encrypted texts. Default: all rows. */
  readonly where?: string;
  /** Columns that `purpose` reads in addition to the primary key and the column itself. */
  readonly purposeColumns?: readonly string[];
  /** Returns the associated data with which the texts of a row are encrypted. */
  purpose(row: SealedRowTexts): string;
  readonly digest?: ComputableDigest;
  /**
   * Change of rows whose text is lost with its key: `clear` sets column and digest to null, `delete` deletes the row.
   * Default: none. Not for columns of JSON.
   */
  readonly whenLost?: 'clear' | 'delete';
}

/** Column with digests of secrets that are not stored. A digest is renewed when its secret is presented. */
export interface DigestColumn {
  /** Name of the table in SQL. */
  readonly table: string;
  readonly column: string;
  readonly pepperIdColumn: string;
  /** SQL expression of the time at which the secret was last used, or was created. */
  readonly lastUsedSql: string;
}

/** All columns of a service's database that contain encrypted texts or digests under a pepper. */
export interface StoredSecrets {
  readonly sealed: readonly SealedColumn[];
  readonly digests: readonly DigestColumn[];
}

/** Returns the name of a column for operators, such as `users.api_key_sealed`. */
export function getQualifiedColumnName({ table, column }: { readonly table: string; readonly column: string }): string {
  return `${table}.${column}`;
}
