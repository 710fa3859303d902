import type { PoolClient, QueryConfig, QueryResult } from 'pg';

/** Names of the prepared statements (BEGIN, COMMIT) to run before and after another statement. */
export interface FrameParts {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Called when the server has executed one of the two, before the query itself is complete. */
  readonly onDone: (part: 'before' | 'after') => void;
}

/** Sends a statement together with its BEGIN or COMMIT in one message. */
export interface Frame {
  /** Sends a statement in this frame. `query` is the method of the connection. */
  send(query: (...args: unknown[]) => unknown, config: QueryConfig): Promise<QueryResult>;
}

/**
 * Sends the BEGIN and COMMIT of transactions. Implementations differ only in speed: results, errors and committed rows
 * are equal.
 */
export interface Transport {
  /**
   * Returns the frame for a statement with `values`; undefined if the parts must be sent separately on this connection.
   */
  frame(client: PoolClient, values: readonly unknown[] | undefined, parts: FrameParts): Frame | undefined;
  /** Calls `send`, and may collect everything that it writes to the connection in one system call. */
  inOneWrite<T>(client: PoolClient, send: () => T): T;
}
