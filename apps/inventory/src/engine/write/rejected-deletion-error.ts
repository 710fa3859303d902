import type { Tx } from '@switchboard/database';
import { inventoryErrors } from '../../errors.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import type { SqlText } from '../sql/json-text-sql.js';

/**
 * Maximum number of blocking objects per model that the error of a blocked deletion lists. The number in the error
 * message includes all blocking objects.
 */
const maxListedDeletionBlockers = 1000;

/** Returns the display names and ids of some of the objects that prevent a deletion. */
export async function listBlockerNames(
  tx: Tx,
  registry: ModelRegistry,
  {
    model,
    condition,
    params = [],
  }: { readonly model: ModelDefinition; readonly condition: SqlText; readonly params?: unknown[] },
): Promise<string[]> {
  const { rows } = await tx.query<{ name: string }>(
    `SELECT concat(${model.display('t', registry)}, ' (', t.id, ')') AS name FROM ${model.table} t WHERE ${condition}
      ORDER BY t.id LIMIT ${maxListedDeletionBlockers}`,
    params,
  );
  return rows.map(({ name }) => name);
}

/** Creates the error for a deletion that `count` other objects prevent. The error names some of these other objects. */
export function createDeletionBlockedError(count: number, names: readonly string[]): Error {
  return inventoryErrors.create('PROTECTED', { params: { count, objects: names.join(', ') } });
}
