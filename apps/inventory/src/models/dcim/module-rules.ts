import type { Tx } from '@switchboard/database';
import type {
  ModelConstraint,
  ModelWithIds,
  ColumnValuesBeforeAndAfter,
} from '../../engine/declaration/define-model.js';

/**
 * Database constraint that a module bay must not be inside itself. The constraint also applies when the module that
 * contains the bay is moved.
 */
export const moduleBayCycleConstraint: ModelConstraint = {
  name: 'dcim_modulebay_parent_cycle',
  key: '__all__',
  message: 'A module bay cannot belong to a module installed within it.',
};

/**
 * Returns the bays of modules that a write moves to another bay. The position of these bays in the tree of bays
 * changes.
 */
export async function listBaysOfMovedModules(
  tx: Tx,
  writes: readonly ColumnValuesBeforeAndAfter[],
): Promise<readonly ModelWithIds[]> {
  const moved = writes.flatMap(({ before, after }) =>
    before !== null && before['module_bay_id'] !== after['module_bay_id'] ? [after['id']] : [],
  );
  if (moved.length === 0) return [];
  const { rows } = await tx.query<{ id: number }>(
    'SELECT id FROM dcim_modulebay WHERE module_id = ANY ($1::bigint[]) ORDER BY id',
    [moved],
  );
  return [{ type: 'dcim.modulebay', ids: rows.map(({ id }) => id) }];
}
