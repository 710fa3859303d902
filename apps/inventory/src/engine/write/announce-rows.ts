import type { Tx } from '@switchboard/database';

/** Beyond so many rows triggers lock what they guard as a whole (migration announced_ipam_locks). */
const most = 1_000;

/**
 * Tells the triggers of a transaction that it will write very many rows, before it writes the first: to find that out on
 * the way, with locks in hand, is how two such transactions come to wait for each other.
 */
export async function announceRows(tx: Tx, count: number): Promise<void> {
  if (count > most) await tx.query("SELECT set_config('switchboard.rows', $1, true)", [String(count)]);
}
