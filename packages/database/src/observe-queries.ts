import type pg from 'pg';
import type { DatabaseConnectionActivity } from './admission/connection-activity.js';
import { StatementCancellation } from './statement-cancellation.js';
import type { PreparedStatementNameAssigner } from './prepared-statement-names.js';
import { findStatementTimeLimitSetBySql } from './close-silent-connections.js';
import { convertParameterValues } from './convert-parameter-values.js';
import type { StatementFrame } from './transport/transaction-transport.js';

/** SQL text and duration of a statement that has ended, successfully or not. */
interface SqlStatementTiming {
  /** SQL text of the statement with its placeholders, never with values. */
  readonly sql: string;
  /** Name of the prepared statement; undefined for a statement without a name. */
  readonly statement: string | undefined;
  /**
   * Duration from sending the statement to receiving its last row, in milliseconds. The duration does not include the
   * wait for a connection.
   */
  readonly durationMs: number;
  /** Id of the request that sent the statement; undefined outside a request. */
  readonly requestId: string | undefined;
}

interface QueryObserverOptions {
  /** Names of frequent prepared statements, shared by all connections of a pool. */
  readonly names: PreparedStatementNameAssigner;
  /** Returns the id of the current request, or undefined outside a request. */
  readonly requestId: () => string | undefined;
  /**
   * Activity record of the connection. The duration of statements determines whether the connection counts as heavy.
   */
  readonly activity: DatabaseConnectionActivity;
  readonly onQuery: (timing: SqlStatementTiming) => void;
  /** Callback that is called with the error of each statement that fails. */
  readonly onError: (error: unknown) => void;
}

function getStatementTextAndName(query: unknown): { text: string; name: string | undefined } {
  if (typeof query === 'string') return { text: query, name: undefined };
  if (typeof query !== 'object' || query === null) return { text: '', name: undefined };
  const text: unknown = Reflect.get(query, 'text');
  const name: unknown = Reflect.get(query, 'name');
  return { text: typeof text === 'string' ? text : '', name: typeof name === 'string' ? name : undefined };
}

/**
 * Returns the arguments of `client.query` with converted values, so that a value that cannot be converted does not make
 * sending fail.
 *
 * @throws as {@link convertParameterValues} does
 */
function convertQueryArgumentValues(args: unknown[]): unknown[] {
  const [first, second] = args;
  if (Array.isArray(second)) {
    const bound = convertParameterValues(second);
    return bound === second ? args : [first, bound, ...args.slice(2)];
  }
  if (typeof first !== 'object' || first === null || 'submit' in first) return args;
  const values: unknown = Reflect.get(first, 'values');
  if (!Array.isArray(values)) return args;
  const bound = convertParameterValues(values);
  return bound === values ? args : [{ ...first, values: bound }, ...args.slice(1)];
}

/** Reports an error as a query of `pg` does: by a call of the callback, or without a callback by a rejected promise. */
function reportPgQueryError(callback: unknown, error: unknown): unknown {
  if (typeof callback !== 'function') return Promise.reject(error);
  process.nextTick(() => Reflect.apply(callback, undefined, [error]));
  return undefined;
}

/**
 * Returns the arguments for a call of `client.query`. A frequent statement without a name gets a name, so that the
 * server prepares the statement.
 */
function createPgQueryArguments(args: unknown[], names: PreparedStatementNameAssigner): unknown[] {
  const [first, second] = args;
  if (typeof first === 'string') {
    if (!Array.isArray(second) || second.length === 0) return args;
    const name = names.countUseAndGetName(first);
    return name === undefined ? args : [{ text: first, values: second, name }, ...args.slice(2)];
  }
  if (typeof first !== 'object' || first === null || 'submit' in first || Reflect.get(first, 'name')) return args;
  const { text, values = second, planned }: { text?: unknown; values?: unknown; planned?: unknown } = first;
  if (planned !== undefined) return args;
  if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return args;
  const name = names.countUseAndGetName(text);
  return name === undefined ? args : [{ ...first, name }, ...args.slice(1)];
}

/**
 * Returns the statement time limit in milliseconds that a call of `client.query` sets for later statements; undefined
 * if the call sets no limit.
 */
function findLaterStatementTimeLimitMs([first, second]: unknown[], text: string): number | undefined {
  const own: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'values') : undefined;
  return findStatementTimeLimitSetBySql(text, own ?? second);
}

/**
 * Splits the argument of `client.query` into the statement and its `frame`, the message that also contains BEGIN or
 * COMMIT. Returns null for an argument without a frame.
 */
function separateStatementAndFrame(query: unknown): { config: pg.QueryConfig; frame: StatementFrame } | null {
  if (typeof query !== 'object' || query === null || !('frame' in query)) return null;
  const { frame, ...config } = query as pg.QueryConfig & { frame?: StatementFrame };
  return frame === undefined ? null : { config, frame };
}

function getStatementCancellation(query: unknown): StatementCancellation | undefined {
  const cancel: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, 'cancel') : undefined;
  return cancel instanceof StatementCancellation ? cancel : undefined;
}

/**
 * Replaces `query` of a connection with a function that prepares frequent statements, and measures the duration of all
 * statements. This package, Prisma and the queue share the connections of the pool. All of them call `client.query`,
 * with a callback or a promise.
 */
export function observeConnectionQueries(
  client: pg.PoolClient,
  { names, requestId, activity, onQuery, onError }: QueryObserverOptions,
): void {
  const query: (...args: unknown[]) => unknown = client.query.bind(client);
  const observed = (...given: unknown[]): unknown => {
    let args: unknown[];
    const cancel = getStatementCancellation(given[0]);
    try {
      args = createPgQueryArguments(convertQueryArgumentValues(given), names);
      cancel?.recordStatementStart(client);
    } catch (error) {
      return reportPgQueryError(given.at(-1), error);
    }
    const { text, name } = getStatementTextAndName(args[0]);
    if (name !== undefined) activity.preparedStatements.recordPreparedStatement(name, text);
    const asker = requestId();
    activity.statementLimitMs = findLaterStatementTimeLimitMs(args, text) ?? activity.statementLimitMs;
    const started = performance.now();
    activity.recordStatementStart(started);
    const ended = (): void => {
      const now = performance.now();
      activity.recordStatementEnd(now);
      cancel?.recordStatementEnd();
      onQuery({ sql: text, statement: name, durationMs: now - started, requestId: asker });
    };
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      const last = (...outcome: unknown[]): void => {
        ended();
        if (outcome[0]) onError(outcome[0]);
        Reflect.apply(callback, undefined, outcome);
      };
      return query(...args.slice(0, -1), last);
    }
    const framed = separateStatementAndFrame(args[0]);
    const result = framed ? framed.frame.send(query, framed.config) : query(...args);
    // Both branches handle the outcome, so that this promise never becomes an unhandled rejection.
    if (result instanceof Promise)
      result.then(ended, (error: unknown) => {
        ended();
        onError(error);
      });
    // The end of a cursor or a stream is not observable here.
    else activity.recordStatementEnd(started);
    return result;
  };
  Object.defineProperty(client, 'query', { value: observed, configurable: true, writable: true });
}
