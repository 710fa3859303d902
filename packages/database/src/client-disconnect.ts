/** Observes whether the client of a request has disconnected. */
export interface ClientDisconnectObserver {
  /** True if the client of the request has disconnected. */
  readonly hasOccurred: boolean;
  /**
   * Calls `listener` once when the client disconnects.
   *
   * @returns a function that removes the listener
   */
  addListener(listener: () => void): () => void;
  /** Ignores a later disconnect, because the request has changed data and must complete. */
  ignoreLaterDisconnect(): void;
}

/**
 * Error of a statement or a transaction that was ended because the client of its request disconnected. The error has
 * the same SQLSTATE as the error of a statement that the server cancelled. Callers therefore handle both errors in the
 * same way.
 */
export class ClientDisconnectedError extends Error {
  readonly code = '57014';
  readonly severity = 'ERROR';

  constructor() {
    super('The client of the request has disconnected');
    this.name = 'ClientDisconnectedError';
  }
}

/**
 * Maximum total length of the SQL texts cached by {@link isReadOnlyStatement}, in characters. The cache is cleared when
 * the maximum is reached.
 */
const MAX_CACHED_SQL_CHARACTERS = 8 * 1024 * 1024;

/** Results of {@link isReadOnlyStatement} by SQL text. */
const readOnlyResultBySqlText = new Map<string, boolean>();
let cachedSqlCharacterCount = 0;

/**
 * Returns true if the text of an SQL statement shows that it only reads. Returns false for a statement that may write.
 */
export function isReadOnlyStatement(sql: string): boolean {
  const known = readOnlyResultBySqlText.get(sql);
  if (known !== undefined) return known;
  const reads = /^\s*(?:SELECT|WITH|VALUES)\b/i.test(sql) && !/\b(?:INSERT|UPDATE|DELETE|MERGE)\b/i.test(sql);
  if (sql.length > MAX_CACHED_SQL_CHARACTERS) return reads;
  if (cachedSqlCharacterCount + sql.length > MAX_CACHED_SQL_CHARACTERS) {
    readOnlyResultBySqlText.clear();
    cachedSqlCharacterCount = 0;
  }
  cachedSqlCharacterCount += sql.length;
  readOnlyResultBySqlText.set(sql, reads);
  return reads;
}
