import type { PoolClient, QueryConfig, QueryResult } from 'pg';

/** Names of the prepared statements (BEGIN, COMMIT) to run before and after another statement in the same message. */
export interface FramedStatementNames {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Called when the server has executed BEGIN (`before`) or COMMIT (`after`), before the query itself is complete. */
  readonly onDone: (part: 'before' | 'after') => void;
}

/** A message that contains a statement together with its BEGIN or COMMIT. */
export interface StatementFrame {
  /** Sends a statement in this message. `query` is the method of the connection. */
  send(query: (...args: unknown[]) => unknown, config: QueryConfig): Promise<QueryResult>;
}

/**
 * Sends the BEGIN and COMMIT of transactions. Implementations differ only in speed: results, errors and committed rows
 * are equal.
 */
export interface TransactionTransport {
  /**
   * Returns the message in which a statement with `values` is sent together with BEGIN or COMMIT; undefined if they
   * must be sent separately on this connection.
   */
  frame(
    client: PoolClient,
    values: readonly unknown[] | undefined,
    parts: FramedStatementNames,
  ): StatementFrame | undefined;
  /** Calls `send`, and may collect everything that it writes to the connection in one system call. */
  inOneWrite<T>(client: PoolClient, send: () => T): T;
}
