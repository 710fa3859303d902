import { findPepperId, createEncryptedJsonTextPattern } from './encrypted-column-values.js';
import { readEncryptedRowsInBatches } from './sealed-rows.js';
import {
  getQualifiedColumnName,
  type StandaloneDigestColumn,
  type ServiceKeysAndPeppers,
  type EncryptedColumn,
  type SecretsQueryExecutor,
  type StoredSecretColumns,
} from './stored-secrets.js';

/** Number of texts in a column that are encrypted with one key. */
export interface EncryptedTextCount {
  readonly column: string;
  /** Id of the encryption key of the counted texts; null for texts that are not encrypted. */
  readonly keyId: string | null;
  readonly count: number;
}

/** Number of digests in a column that were computed with one pepper. */
export interface PepperDigestCount {
  readonly column: string;
  /**
   * Number of the pepper of the counted digests. Null if no configured pepper matches the digests, in columns that do
   * not store the number of the pepper.
   */
  readonly pepperId: number | null;
  readonly count: number;
  /** True if `admin secrets rewrap` can compute the counted digests again. */
  readonly isComputable: boolean;
  /** Time at which one of the counted secrets was last used; null for digests that can be computed again. */
  readonly lastUsed: Date | null;
}

/** Numbers of encrypted texts by encryption key, and of digests by pepper. */
export interface KeyAndPepperUsage {
  readonly texts: readonly EncryptedTextCount[];
  readonly digests: readonly PepperDigestCount[];
}

/** Counts the encrypted texts and digests of all columns. Reads the table of each column once. */
export async function readKeyAndPepperUsage(
  database: SecretsQueryExecutor,
  keys: ServiceKeysAndPeppers,
  { sealed, digests }: StoredSecretColumns,
): Promise<KeyAndPepperUsage> {
  const texts: EncryptedTextCount[] = [];
  const digestCounts: PepperDigestCount[] = [];
  for (const column of sealed) {
    texts.push(...(await countEncryptedTexts(database, column)));
    if (column.digest?.pepperIdColumn === undefined) {
      digestCounts.push(...(await countDigestsByRecomputation(database, keys, column)));
    } else {
      digestCounts.push(...(await countComputableDigests(database, column, column.digest.pepperIdColumn)));
    }
  }
  for (const column of digests) digestCounts.push(...(await countDigestsByPepper(database, column)));
  return { texts, digests: digestCounts };
}

/** Counts the encrypted texts in a column, grouped by encryption key. */
export async function countEncryptedTexts(
  database: SecretsQueryExecutor,
  column: EncryptedColumn,
): Promise<EncryptedTextCount[]> {
  const { json, where, table } = column;
  const conditions = where === undefined ? [] : [`(${where})`];
  const from =
    json === undefined
      ? `${table} t`
      : `${table} t, regexp_matches(t.${column.column}::text, '${createEncryptedJsonTextPattern(json.property)}', 'g') AS found (parts)`;
  const text = json === undefined ? `t.${column.column}` : 'found.parts[1]';
  if (json === undefined) conditions.push(`${text} <> ''`);
  const { rows } = await database.query<{ id: string | null; count: number }>(
    `SELECT substring(${text} FROM '^v1\\.([A-Za-z0-9_-]{1,64})\\.') AS id, count(*)::int AS count FROM ${from}
      ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`} GROUP BY 1 ORDER BY 1`,
  );
  return rows.map(({ id, count }) => ({ column: getQualifiedColumnName(column), keyId: id, count }));
}

/** Counts the digests in a column, grouped by pepper. */
export async function countDigestsByPepper(
  database: SecretsQueryExecutor,
  column: StandaloneDigestColumn,
): Promise<PepperDigestCount[]> {
  const { rows } = await database.query<{ id: number; count: number; lastUsed: Date | null }>(
    `SELECT ${column.pepperIdColumn} AS id, count(*)::int AS count, max(${column.lastUsedSql}) AS "lastUsed"
      FROM ${column.table} GROUP BY 1 ORDER BY 1`,
  );
  return rows.map(({ id, count, lastUsed }) => ({
    column: getQualifiedColumnName(column),
    pepperId: id,
    count,
    isComputable: false,
    lastUsed,
  }));
}

/**
 * Counts, by pepper, the digests that can be computed again from an encrypted text. The table has a column with the
 * number of the pepper.
 */
export async function countComputableDigests(
  database: SecretsQueryExecutor,
  column: EncryptedColumn,
  pepperIdColumn: string,
): Promise<PepperDigestCount[]> {
  const { rows } = await database.query<{ id: number; count: number }>(
    `SELECT ${pepperIdColumn} AS id, count(*)::int AS count FROM ${column.table}
      WHERE ${pepperIdColumn} IS NOT NULL GROUP BY 1 ORDER BY 1`,
  );
  return rows.map(({ id, count }) => toComputableDigestCount(column, id, count));
}

/**
 * Counts the digests in a column by pepper, for a table that does not store the number of the pepper. Compares each
 * digest with the digests under all configured peppers.
 */
async function countDigestsByRecomputation(
  database: SecretsQueryExecutor,
  keys: ServiceKeysAndPeppers,
  column: EncryptedColumn,
): Promise<PepperDigestCount[]> {
  if (column.digest === undefined) return [];
  const counts = new Map<number | null, number>();
  for await (const rows of readEncryptedRowsInBatches(database, column)) {
    for (const row of rows) {
      const id = findPepperId(column, keys, row);
      if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return [...counts].map(([id, count]) => toComputableDigestCount(column, id, count));
}

function toComputableDigestCount(
  { table, digest, column }: EncryptedColumn,
  pepperId: number | null,
  count: number,
): PepperDigestCount {
  return {
    column: getQualifiedColumnName({ table, column: digest?.column ?? column }),
    pepperId,
    count,
    isComputable: true,
    lastUsed: null,
  };
}
