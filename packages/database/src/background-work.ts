import type { Tx } from './tx.js';

/** Name of background work, and the time limit of its statements. */
export interface Work {
  readonly name: string;
  readonly timeoutMs: number;
}

/** Statement that sets the time limit and the name for the current transaction. */
const setWork = {
  name: 'background_work',
  text: "SELECT set_config('statement_timeout', $1, true), set_config('application_name', $2, true)",
};

/** Sends the settings together with BEGIN and the first statement. If they fail, the transaction fails at its end. */
export function setWorkOf(tx: Tx, { name, timeoutMs }: Work): void {
  tx.query(setWork, [String(timeoutMs), name]).catch(() => undefined);
}
