import type { ClientBase } from 'pg';

export interface DatabaseSessionStarterOptions {
  /** Time limit of each statement, in milliseconds; undefined if the limit configured on the server applies. */
  readonly statementTimeoutMs: number | undefined;
  /** Time limit for the response of the server at the start of a session, in milliseconds. */
  readonly timeoutMs: number;
  /** Callback that is called when a new connection leads to a different primary server than earlier connections. */
  readonly onPrimaryChange: (() => void) | undefined;
}

interface DatabaseSessionServerState {
  /** True if the server of a session accepts only reads: a standby, or a primary that was demoted. */
  readonly isReadOnly: boolean;
  /** Identifier of the primary server, which consists of cluster and timeline; null for a standby. */
  readonly primary: string | null;
}

/**
 * SQL expression for the current WAL timeline of the server. The expression does not read the control file, which
 * contains the previous timeline for a while after a promotion.
 */
const serverTimelineSql = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)';

/** SQL expression for the identifier of the database cluster. A role may lack the right to read this identifier. */
const clusterIdentifierSql = '(SELECT system_identifier FROM pg_control_system())';

/** SQLSTATE of the error for a missing privilege. */
const insufficientPrivilegeSqlState = '42501';

/** Starts the database sessions of a pool, and detects a change of the primary server between sessions. */
export class DatabaseSessionStarter {
  readonly #options: DatabaseSessionStarterOptions;
  #primary: string | null = null;
  #readsCluster = true;

  constructor(options: DatabaseSessionStarterOptions) {
    this.#options = options;
  }

  /**
   * Sets the statement time limit of a new connection, and reads the state of the server, in one round trip. The limit
   * is not sent in the startup message, because connection poolers reject it there. If the role may not call
   * `pg_control_system`, the timeline alone identifies the primary.
   *
   * @returns true if the server accepts only reads
   * @throws Error of the connection
   */
  async startSession(client: ClientBase): Promise<boolean> {
    const { isReadOnly, primary } = await this.#readState(client);
    if (primary === null) return isReadOnly;
    const isChanged = this.#primary !== null && this.#primary !== primary;
    this.#primary = primary;
    if (isChanged) this.#options.onPrimaryChange?.();
    return isReadOnly;
  }

  async #readState(client: ClientBase): Promise<DatabaseSessionServerState> {
    const readsCluster = this.#readsCluster;
    try {
      const { rows } = await client.query<DatabaseSessionServerState>(this.#statement(readsCluster));
      return rows[0] ?? { isReadOnly: false, primary: null };
    } catch (error) {
      const isForbidden = error instanceof Error && Reflect.get(error, 'code') === insufficientPrivilegeSqlState;
      if (!isForbidden || !readsCluster) throw error;
      this.#readsCluster = false;
      return this.#readState(client);
    }
  }

  #statement(readsCluster: boolean): { text: string; query_timeout: number } {
    const { statementTimeoutMs, timeoutMs } = this.#options;
    const limit =
      statementTimeoutMs === undefined ? '' : `, set_config('statement_timeout', '${statementTimeoutMs}', false)`;
    const primary = readsCluster ? `${clusterIdentifierSql} || '/' || ${serverTimelineSql}` : serverTimelineSql;
    const text = `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly",
        CASE WHEN NOT pg_is_in_recovery() THEN ${primary} END AS "primary"${limit}`;
    return { text, query_timeout: timeoutMs };
  }
}
