import type { Tx } from '@switchboard/database';
import type { WrittenColumns } from '../../engine/declaration/model.js';

/** Up to so many rows in one VRF, triggers lock each row by itself (migration ipam_locks_per_vrf). */
const few = 1_000;

/** True if a write of so many rows locks their VRFs against other writers. */
export function locksVrfs(rowCount: number): boolean {
  return rowCount > few;
}

/**
 * Locks the VRFs of rows that follow, in one order, before the triggers of the first row do. More than 1,000 rows lock each
 * VRF against other writers; fewer share it. Null is the global table.
 */
export async function lockVrfs(tx: Tx, vrfs: ReadonlySet<unknown>, rowCount: number): Promise<void> {
  if (vrfs.size < 2 && !locksVrfs(rowCount)) return;
  await tx.query('SELECT ipam_lock_vrfs($1::bigint[], $2)', [[...vrfs], rowCount]);
}

/**
 * Returns a hook that locks the VRFs of a write.
 *
 * @param columns columns whose change the triggers check
 */
export function lockVrfsOf(columns: readonly string[]): (tx: Tx, writes: readonly WrittenColumns[]) => Promise<void> {
  return async (tx, writes) => {
    const checked = writes.filter(
      ({ before, after }) => before === null || columns.some((column) => before[column] !== after[column]),
    );
    const vrfs = new Set(checked.map(({ after }) => after['vrf_id'] ?? null));
    await lockVrfs(tx, vrfs, checked.length);
  };
}
