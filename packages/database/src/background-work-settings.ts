import type { Tx } from './transaction-interface.js';

/** Name of background work, and the time limit of its statements in milliseconds. */
export interface BackgroundWorkSettings {
  readonly name: string;
  readonly timeoutMs: number;
}

/** Statement that sets the time limit and the name of background work for the current transaction. */
const backgroundWorkSettingsStatement = {
  name: 'background_work',
  text: "SELECT set_config('statement_timeout', $1, true), set_config('application_name', $2, true)",
};

/**
 * Sets the time limit and the name of background work, together with BEGIN and the first statement. If this fails, the
 * transaction fails at its end.
 */
export function applyBackgroundWorkSettings(tx: Tx, { name, timeoutMs }: BackgroundWorkSettings): void {
  tx.query(backgroundWorkSettingsStatement, [String(timeoutMs), name]).catch(() => undefined);
}
