import type { ClientBase, Pool } from 'pg';
import { PreparedNames } from './prepared-names.js';
import { ContextPool, observeQueries } from './query-timing.js';
import { valueTypes } from './value-types.js';

/** Where the database reports; pino's loggers fit. */
export interface DatabaseLogger {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** How to reach a database. */
export interface PoolOptions {
  /** `postgres://user:password@host:port/database`, with pg's query parameters. */
  readonly url: string;
  /** Most connections at a time. Default 10. */
  readonly max?: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly logger: DatabaseLogger;
  /** Statements that take as long or longer are logged, in milliseconds. */
  readonly slowQueryMs: number;
  /** The id of the request under way, for the log. */
  readonly requestId?: () => string | undefined;
  /** The server ends statements that take longer, in milliseconds; 0 is no limit. Default: the server's own limit. */
  readonly statementTimeoutMs?: number;
  /** How long to wait for a connection, new or given back, in milliseconds. Default 5000. */
  readonly connectTimeoutMs?: number;
}

/**
 * A pool whose lost connections are logged and never end the process: `pg` emits an `error` on a connection that
 * breaks, idle or in use, and an event of that name without a listener is an exception.
 */
export function createPool(options: PoolOptions): Pool {
  const { logger, slowQueryMs, statementTimeoutMs, requestId = () => undefined } = options;
  const names = new PreparedNames();
  const pool = new ContextPool({
    connectionString: options.url,
    max: options.max ?? 10,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5000,
    keepAlive: true,
    // Statements that are sent without waiting for one another share a round trip; see Transaction.end.
    pipeline: true,
    types: valueTypes,
    ...(statementTimeoutMs !== undefined && {
      // Poolers refuse this setting as a parameter of the connection's start. The pool waits for the promise.
      onConnect: (client: ClientBase): unknown => client.query(`SET statement_timeout = ${statementTimeoutMs}`),
    }),
  });
  pool.on('error', (err) => logger.warn({ err }, 'A database connection was lost'));
  pool.on('connect', (client) => {
    // While it is idle the pool listens and reports; this listener keeps one in use from ending the process.
    client.on('error', () => {});
    observeQueries(client, {
      names,
      requestId,
      onQuery: ({ sql, statement, durationMs, requestId: asker }) => {
        if (durationMs < slowQueryMs) return;
        logger.warn({ sql, statement, durationMs: Math.round(durationMs), requestId: asker }, 'Slow query');
      },
    });
  });
  return pool;
}
