/** Tells whether the client of a request has disconnected. */
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

/** True if a statement only reads, as far as its text shows; a text that may write counts as writing. */
export function onlyReads(sql: string): boolean {
  return /^\s*(?:SELECT|WITH|VALUES)\b/i.test(sql) && !/\b(?:INSERT|UPDATE|DELETE|MERGE)\b/i.test(sql);
}
