import type { Tx } from './transaction-interface.js';

/** Name of background work for `application_name`, and the time limit of the work's statements in milliseconds. */
export interface BackgroundDatabaseWorkSettings {
  readonly name: string;
  readonly timeoutMs: number;
}

/** SQL statement that sets the time limit and the name of background work for the current transaction. */
const createBackgroundWorkSettingsSql = {
  name: 'background_work',
  text: "SELECT set_config('statement_timeout', $1, true), set_config('application_name', $2, true)",
};

/**
 * Sends the statement that sets the time limit and the name of background work in a transaction. The statement is sent
 * together with BEGIN and the first statement of the work. If the statement fails, the transaction fails at its end.
 */
export function sendBackgroundWorkSettings(tx: Tx, { name, timeoutMs }: BackgroundDatabaseWorkSettings): void {
  tx.query(createBackgroundWorkSettingsSql, [String(timeoutMs), name]).catch(() => undefined);
}
