import type { Tx } from '@switchboard/database';

/** Time limit of a statement that writes or checks all rows of a large request, in milliseconds. */
const longStatementTimeoutMs = 600_000;

/**
 * SQL that sets the time limit of a statement, and limits each wait for a lock to the previous time limit of a statement.
 * A limit that the transaction or the role already has for waits remains. A second call in a transaction changes nothing.
 */
const setLongStatementTimeoutSql = `SELECT
  set_config('lock_timeout', CASE current_setting('lock_timeout') WHEN '0' THEN current_setting('statement_timeout')
    ELSE current_setting('lock_timeout') END, true),
  set_config('statement_timeout', $1, true)`;

/**
 * Raises the time limit of each following statement of the transaction to ten minutes. The statements still wait for a
 * lock no longer than the normal time limit of a statement.
 */
export async function allowLongStatements(tx: Tx): Promise<void> {
  await tx.query(setLongStatementTimeoutSql, [String(longStatementTimeoutMs)]);
}
