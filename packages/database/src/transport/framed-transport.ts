import { Writable } from 'node:stream';
import pg from 'pg';
import type { PoolClient, QueryResult } from 'pg';
import { readPgConnectionProperty } from '../connection-property.js';
import type { FramedStatementNames, TransactionTransport } from './transaction-transport.js';

/** Methods of the internal connection object of `pg` with which a query sends its protocol messages. */
interface PgWireConnection {
  bind(config: { statement: string; values: unknown[] }): void;
  execute(config: { portal?: string }): void;
  sync(): void;
}

const { prototype } = pg.Query;
const originalPgPrepare: unknown = Reflect.get(prototype, 'prepare');
const originalPgHandleCommandComplete: unknown = Reflect.get(prototype, 'handleCommandComplete');
const originalPgHandleError: unknown = Reflect.get(prototype, 'handleError');

/** True if this version of `pg` has the methods used by {@link StatementFrameQuery}. */
const isSupportedPgVersion =
  typeof originalPgPrepare === 'function' &&
  typeof originalPgHandleCommandComplete === 'function' &&
  typeof originalPgHandleError === 'function' &&
  '_getRows' in prototype;

/** Name of the internal property in which a query of `pg` stores an error that occurred while a value was parsed. */
const ROW_PARSE_ERROR_PROPERTY = '_canceledDueToError';

function sendPreparedStatement(connection: PgWireConnection, name: string): void {
  connection.bind({ statement: name, values: [] });
  connection.execute({});
}

/**
 * A statement sent in one message with BEGIN or COMMIT. The server acknowledges both together. A separate
 * acknowledgement would cost one more write of the server, and often an iteration of the event loop. This is more than
 * the cost of BEGIN itself. If one part of the message fails, the server skips the following parts, and the query fails
 * with the error of that part.
 */
class StatementFrameQuery extends pg.Query {
  private completed = 0;

  constructor(
    config: pg.QueryConfig,
    private readonly frame: FramedStatementNames,
    readonly callback: (error: Error | null, result: QueryResult) => void,
  ) {
    super(config);
  }

  /** @internal Called by `pg` to send the query. Sends the statement `before`, such as BEGIN, first. */
  prepare(connection: PgWireConnection): void {
    if (this.frame.before !== undefined) sendPreparedStatement(connection, this.frame.before);
    if (typeof originalPgPrepare === 'function') Reflect.apply(originalPgPrepare, this, [connection]);
  }

  /**
   * @internal Called by `pg` as the last step of sending. Sends the statement `after`, such as COMMIT, and the sync
   *   message.
   */
  _getRows(connection: PgWireConnection): void {
    connection.execute({});
    if (this.frame.after !== undefined) sendPreparedStatement(connection, this.frame.after);
    connection.sync();
  }

  /**
   * @internal Called by `pg` for each completed part of the message. The results of BEGIN and COMMIT are not needed: if
   * they fail, an error message arrives instead.
   */
  handleCommandComplete(message: unknown, connection: PgWireConnection): void {
    this.completed += 1;
    const own = this.frame.before === undefined ? 1 : 2;
    if (this.completed !== own) return this.frame.onDone(this.completed < own ? 'before' : 'after');
    if (typeof originalPgHandleCommandComplete === 'function')
      Reflect.apply(originalPgHandleCommandComplete, this, [message, connection]);
  }

  /**
   * @internal Called by `pg` for errors. `pg` would report an unparsable row even if the server rejected COMMIT
   * afterwards. This method reports an unparsable row only if all other parts of the message succeeded.
   */
  handleError(error: unknown, connection: unknown): void {
    if (error !== Reflect.get(this, ROW_PARSE_ERROR_PROPERTY)) Reflect.set(this, ROW_PARSE_ERROR_PROPERTY, false);
    if (typeof originalPgHandleError === 'function') Reflect.apply(originalPgHandleError, this, [error, connection]);
  }
}

/**
 * Returns true if a statement with `values` can be sent in one message with BEGIN or COMMIT on the given connection.
 * The server must have prepared BEGIN and COMMIT, and the statement must have parameter values.
 */
function canSendStatementInFrame(
  client: PoolClient,
  values: readonly unknown[] | undefined,
  frame: FramedStatementNames,
): boolean {
  const parsed = readPgConnectionProperty(client, 'parsedStatements');
  if (!isSupportedPgVersion || values === undefined || values.length === 0) return false;
  if (typeof parsed !== 'object' || parsed === null) return false;
  return [frame.before, frame.after].every((name) => name === undefined || name in parsed);
}

/**
 * Transport that sends BEGIN in one message with the first statement of a transaction, and COMMIT in one message with
 * the last. This transport uses undocumented methods of `pg`. If the version of `pg` lacks these methods, the
 * statements are sent separately (ADR 0009).
 */
export const framedTransactionTransport: TransactionTransport = {
  frame(client, values, parts) {
    if (!canSendStatementInFrame(client, values, parts)) return undefined;
    return {
      send: (query, config) =>
        new Promise((resolve, reject) => {
          query(new StatementFrameQuery(config, parts, (error, result) => (error ? reject(error) : resolve(result))));
        }),
    };
  },
  /**
   * Calls `send` and writes all its output to the connection with one system call, because a system call costs more
   * than most statements. PostgreSQL still executes the statements in order.
   */
  inOneWrite(client, send) {
    const stream = readPgConnectionProperty(client, 'stream');
    if (!(stream instanceof Writable)) return send();
    stream.cork();
    try {
      return send();
    } finally {
      stream.uncork();
    }
  },
};
