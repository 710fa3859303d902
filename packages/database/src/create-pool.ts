import type { ClientBase } from 'pg';
import type { DatabaseWorkClassAndUser } from './admission/database-workload.js';
import { isReadOnlyServerError } from './connection-errors.js';
import { AdmissionControlledPool } from './admission-pool.js';
import { PreparedStatementNameAssigner } from './prepared-statement-names.js';
import { observeConnectionQueries } from './observe-queries.js';
import { DatabaseSessionStarter } from './start-database-session.js';
import { columnValueParsers } from './column-value-parsers.js';

/** Logger for slow statements and lost connections. Loggers of pino implement this interface. */
export interface DatabaseLogger {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Options of a connection pool to one database. */
export interface ConnectionPoolOptions {
  /**
   * URL of the database, `postgres://user:password@host:port/database`, with the query parameters that `pg` supports.
   */
  readonly url: string;
  /** Maximum number of connections of the pool. Default 20. All classes of database work share the connections. */
  readonly max?: number;
  /** Application name of this process, which `pg_stat_activity` displays for the connections of the pool. */
  readonly applicationName: string;
  readonly logger: DatabaseLogger;
  /** Minimum duration at which a statement is logged as slow, in milliseconds. */
  readonly slowQueryMs: number;
  /** Returns the id of the current request, which the pool writes to the log. Returns undefined outside a request. */
  readonly requestId?: () => string | undefined;
  /**
   * Time limit of each statement, enforced by the server, in milliseconds; 0 for no limit. If undefined, the limit that
   * is configured on the server applies.
   */
  readonly statementTimeoutMs?: number;
  /** Time limit for opening a connection, in milliseconds. Default 5000. */
  readonly connectTimeoutMs?: number;
  /**
   * Returns the class and the user of the database work in the current request. If the result is undefined, statements
   * count as `short` work without a user.
   */
  readonly workload?: () => DatabaseWorkClassAndUser | undefined;
  /** Maximum time that short work and authentication wait for a connection, in milliseconds. Default 5000. */
  readonly shortWaitMs?: number;
  /** Maximum time that heavy work waits for a connection, in milliseconds. Default 30,000. */
  readonly heavyWaitMs?: number;
  /**
   * Time limit for a statement of background work, and for its wait for a connection, in milliseconds. Default 0: no
   * limit.
   */
  readonly backgroundTimeoutMs?: number;
  /**
   * Time in milliseconds that is added to the time limit of a statement. If the server has sent nothing by then, the
   * connection is closed. Default 5000.
   */
  readonly responseMarginMs?: number;
  /**
   * Callback that is called when a new connection leads to another primary: to another cluster, or to a later timeline
   * after a promotion. The last commits may be missing on the new primary, so the service should evict cached data. The
   * new connection is used only after the call, and earlier connections are replaced.
   */
  readonly onPrimaryChange?: () => void;
  /**
   * Callback that is called when open connections are replaced because their server may not be the primary. The call
   * occurs before `onPrimaryChange`. It also occurs if a server accepts only reads or does not respond, or if a former
   * standby address leads to a primary. The service should also replace its connections outside the pool, such as the
   * connection of `CachedDataChangeChecker`.
   */
  readonly onConnectionsReplaced?: () => void;
}

/** Default maximum number of connections of a pool. */
const DEFAULT_MAX_POOL_CONNECTIONS = 20;

/** Default of {@link ConnectionPoolOptions.responseMarginMs}, in milliseconds. */
const DEFAULT_RESPONSE_MARGIN_MS = 5_000;

/**
 * Creates a connection pool that logs lost connections. `pg` emits an `error` event when an idle or used connection
 * breaks. Without a listener, the event would end the process. If a server becomes read-only or stops responding, all
 * connections are replaced.
 */
export function createConnectionPool(options: ConnectionPoolOptions): AdmissionControlledPool {
  const { logger, slowQueryMs, statementTimeoutMs, requestId = () => undefined } = options;
  const preparedNames = new PreparedStatementNameAssigner();
  const { workload = () => undefined, shortWaitMs = 5_000, heavyWaitMs = 30_000, backgroundTimeoutMs = 0 } = options;
  const { connectTimeoutMs = 5_000, responseMarginMs = DEFAULT_RESPONSE_MARGIN_MS } = options;
  const onPrimaryChange = (): void => {
    logger.warn({}, 'database connections lead to another primary');
    // The former primary may be alive, without connection to its standbys. It must not fill the dropped caches again.
    pool.replaceConnectionsToFormerPrimary();
    options.onPrimaryChange?.();
  };
  const sessions = new DatabaseSessionStarter({ statementTimeoutMs, timeoutMs: connectTimeoutMs, onPrimaryChange });
  /** Connections whose server accepted only reads when they were opened. */
  const openedReadOnly = new WeakSet<ClientBase>();
  const config = {
    connectionString: options.url,
    max: options.max ?? DEFAULT_MAX_POOL_CONNECTIONS,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // Statements sent without waiting for each other share a round trip; see Transaction.end.
    pipeline: true,
    types: columnValueParsers,
    // The pool awaits the promise.
    onConnect: async (client: ClientBase): Promise<void> => {
      if (await sessions.startSession(client)) openedReadOnly.add(client);
      else pool.replaceReadOnlyConnections();
    },
  };
  const limits = { shortMs: shortWaitMs, heavyMs: heavyWaitMs, backgroundMs: backgroundTimeoutMs };
  const onSilence = (silentMs: number): void =>
    logger.warn({ silentMs: Math.round(silentMs) }, 'database server does not respond: replacing all connections');
  const onConnectionsReplaced = (): void => options.onConnectionsReplaced?.();
  const replacement = { responseMarginMs, onSilence, onConnectionsReplaced };
  const pool = new AdmissionControlledPool({ config, limits, workload, statementTimeoutMs, ...replacement });
  pool.on('error', (err) => logger.warn({ err }, 'database connection lost'));
  pool.on('connect', (client) => {
    // The pool listens only to idle connections. This listener prevents an error of one in use from ending the process.
    client.on('error', () => {});
    const activity = pool.trackConnectionActivity(client);
    activity.isOpenedReadOnly = openedReadOnly.has(client);
    observeConnectionQueries(client, {
      names: preparedNames,
      activity,
      requestId,
      onQuery: ({ sql, statement, durationMs, requestId: asker }) => {
        if (durationMs < slowQueryMs) return;
        logger.warn({ sql, statement, durationMs: Math.round(durationMs), requestId: asker }, 'slow query');
      },
      onError: (err) => {
        if (!isReadOnlyServerError(err)) return;
        const isKnown = activity.mustBeReplaced || activity.isOpenedReadOnly;
        activity.mustBeReplaced = true;
        // While a server remains read-only, reads continue on the connections that were opened meanwhile.
        if (isKnown) return;
        logger.warn({ err }, 'database server accepts only reads: replacing all connections');
        pool.replaceConnections();
      },
    });
  });
  return pool;
}
