import type { Tx } from '@switchboard/database';

/** Time limit of a statement that writes or checks all rows of a large request, in milliseconds. */
const longStatementTimeoutMs = 600_000;

/** Raises the time limit of each following statement of the transaction to ten minutes. */
export async function allowLongStatements(tx: Tx): Promise<void> {
  await tx.query("SELECT set_config('statement_timeout', $1, true)", [String(longStatementTimeoutMs)]);
}
