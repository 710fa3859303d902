import type { Tx } from '@switchboard/database';
import { inventoryErrors } from '../../errors.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import type { SqlText } from '../sql/json-text-sql.js';

/**
 * Maximum number of objects per model that the error of a blocked deletion names. The count in the message includes all
 * blocking objects.
 */
const maxListedDeletionBlockers = 1000;

/** Returns display names and ids of some objects that prevent a deletion. */
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

/** Creates the error of a deletion that is prevented by `count` objects, and names some of these objects. */
export function createDeletionBlockedError(count: number, names: readonly string[]): Error {
  return inventoryErrors.create('PROTECTED', { params: { count, objects: names.join(', ') } });
}
