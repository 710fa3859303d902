import type { ClientBase } from 'pg';

/** Options of {@link startSession}. */
export interface SessionStartOptions {
  /** Time limit of each statement, in milliseconds; undefined: the server's own limit. */
  readonly statementTimeoutMs: number | undefined;
  /** Time limit for the response of the server, in milliseconds. */
  readonly timeoutMs: number;
}

/** State of the server when a connection was opened. */
export interface SessionStart {
  /** True if the server accepts only reads: a standby, or a primary that was demoted. */
  readonly isReadOnly: boolean;
}

/**
 * Sets the time limit of statements on a new connection, and reads the state of the server, in one round trip. The
 * limit is not a startup parameter, because poolers reject it there.
 *
 * @throws Error of the connection
 */
export async function startSession(
  client: ClientBase,
  { statementTimeoutMs, timeoutMs }: SessionStartOptions,
): Promise<SessionStart> {
  const limit =
    statementTimeoutMs === undefined ? '' : `, set_config('statement_timeout', '${statementTimeoutMs}', false)`;
  const statement = {
    text: `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"${limit}`,
    query_timeout: timeoutMs,
  };
  const { rows } = await client.query<SessionStart>(statement);
  return { isReadOnly: rows[0]?.isReadOnly ?? false };
}
