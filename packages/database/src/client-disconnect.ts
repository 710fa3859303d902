/** Reports whether the client of a request has disconnected. */
export interface ClientDisconnect {
  /** True once the client has disconnected. */
  readonly happened: boolean;
  /**
   * Calls `listener` once when the client disconnects.
   *
   * @returns a function that removes the listener
   */
  listen(listener: () => void): () => void;
  /** Makes a later disconnect have no effect: the request has changed something and runs to its end. */
  ignore(): void;
}

/**
 * A statement or a transaction ended because the client of its request has disconnected. Has the SQLSTATE of statements
 * that the server cancels, so that both are one kind of fault.
 */
export class ClientDisconnectedError extends Error {
  readonly code = '57014';
  readonly severity = 'ERROR';

  constructor() {
    super('The client of the request has disconnected');
    this.name = 'ClientDisconnectedError';
  }
}

/** Maximum number of texts cached by {@link onlyReads}; then the cache is cleared. */
const MOST_TEXTS = 2_000;

/** Long texts take longer to search than the rest of the way to the server. */
const knownTexts = new Map<string, boolean>();

/** True if a statement only reads, as far as its text shows; a text that may write counts as writing. */
export function onlyReads(sql: string): boolean {
  const known = knownTexts.get(sql);
  if (known !== undefined) return known;
  const reads = /^\s*(?:SELECT|WITH|VALUES)\b/i.test(sql) && !/\b(?:INSERT|UPDATE|DELETE|MERGE)\b/i.test(sql);
  if (knownTexts.size >= MOST_TEXTS) knownTexts.clear();
  knownTexts.set(sql, reads);
  return reads;
}
