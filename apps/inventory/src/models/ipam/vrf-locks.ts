import type { Tx } from '@switchboard/database';
import type { ColumnValuesBeforeAndAfter } from '../../engine/declaration/define-model.js';

/**
 * Maximum number of rows in a write for which triggers lock the VRF row by row. A write with more rows locks the VRF
 * exclusively (migration ipam_locks_per_vrf).
 */
const maxRowsLockedSingly = 1_000;

/**
 * Returns true if a write of `rowCount` rows locks the VRFs of the rows exclusively. Other writes in these VRFs then
 * wait.
 */
export function mustLockVrfsExclusively(rowCount: number): boolean {
  return rowCount > maxRowsLockedSingly;
}

/**
 * Locks the VRFs to which the rows of a write belong, in a fixed order, before triggers lock these VRFs one by one. The
 * locks are exclusive if the write has more than 1,000 rows, and shared otherwise. In `vrfs`, null represents the
 * global table.
 */
export async function lockVrfs(tx: Tx, vrfs: ReadonlySet<unknown>, rowCount: number): Promise<void> {
  if (vrfs.size < 2 && !mustLockVrfsExclusively(rowCount)) return;
  await tx.query('SELECT ipam_lock_vrfs($1::bigint[], $2)', [[...vrfs], rowCount]);
}

/**
 * Returns a model's hook `lock`, which locks the VRFs of the rows of a write.
 *
 * @param columns columns whose changes need the lock
 */
export function createVrfLockHook(
  columns: readonly string[],
): (tx: Tx, writes: readonly ColumnValuesBeforeAndAfter[]) => Promise<void> {
  return async (tx, writes) => {
    const checked = writes.filter(
      ({ before, after }) => before === null || columns.some((column) => before[column] !== after[column]),
    );
    const vrfs = new Set(checked.map(({ after }) => after['vrf_id'] ?? null));
    await lockVrfs(tx, vrfs, checked.length);
  };
}
