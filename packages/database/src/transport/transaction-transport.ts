import type { PoolClient, QueryConfig, QueryResult } from 'pg';

/**
 * Names of the prepared statements that are sent in the same message as another statement: `before` is BEGIN, `after`
 * is COMMIT.
 */
export interface FramedStatementNames {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /**
   * Callback that is called when the server has executed BEGIN (`before`) or COMMIT (`after`), before the query itself
   * is complete.
   */
  readonly onDone: (part: 'before' | 'after') => void;
}

/** A protocol message that contains an SQL statement together with BEGIN or COMMIT. */
export interface StatementFrame {
  /** Sends an SQL statement in this message, together with BEGIN or COMMIT. `query` is the method of the connection. */
  send(query: (...args: unknown[]) => unknown, config: QueryConfig): Promise<QueryResult>;
}

/**
 * Sends BEGIN and COMMIT of transactions. All implementations have the same results, errors and committed rows, and
 * differ only in speed.
 */
export interface TransactionTransport {
  /**
   * Returns a message in which a statement with `values` can be sent together with BEGIN or COMMIT. Returns undefined
   * if the statements must be sent separately on this connection.
   */
  frame(
    client: PoolClient,
    values: readonly unknown[] | undefined,
    parts: FramedStatementNames,
  ): StatementFrame | undefined;
  /** Calls `send` and returns its result. May collect all output of `send` to the connection into one system call. */
  inOneWrite<T>(client: PoolClient, send: () => T): T;
}
