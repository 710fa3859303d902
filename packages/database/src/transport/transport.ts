import type { PoolClient, QueryConfig, QueryResult } from 'pg';

/** Names of prepared statements to run before and after another statement: BEGIN, COMMIT. */
export interface FrameParts {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Called when the server has executed one of them, before the query itself is complete. */
  readonly onDone: (part: 'before' | 'after') => void;
}

/** A statement's BEGIN or COMMIT, to be sent with it in one message. */
export interface Frame {
  /** Sends a statement in this frame with `query`, the method of the connection. */
  send(query: (...args: unknown[]) => unknown, config: QueryConfig): Promise<QueryResult>;
}

/**
 * Sends the BEGIN and COMMIT of transactions. Implementations differ only in speed: results, errors and committed rows
 * are equal.
 */
export interface Transport {
  /**
   * Returns the frame for a statement with `values`, or undefined if the statement and the parts must be sent
   * separately on this connection.
   */
  frame(client: PoolClient, values: readonly unknown[] | undefined, parts: FrameParts): Frame | undefined;
  /** Calls `send`, and may collect everything that it writes to the connection in one system call. */
  inOneWrite<T>(client: PoolClient, send: () => T): T;
}
