import type { Tx } from '@switchboard/database';
import { errors } from '../../errors.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { Registry } from '../declaration/model-registry.js';
import type { Sql } from '../sql/json-text-sql.js';

/**
 * Maximum number of objects per model that the error of a blocked deletion names. The count in the message includes all
 * blocking objects.
 */
const maxListedBlockers = 1000;

/** Returns display names and ids of some objects that prevent a deletion. */
export async function listBlockerNames(
  tx: Tx,
  registry: Registry,
  {
    model,
    condition,
    params = [],
  }: { readonly model: ModelDefinition; readonly condition: Sql; readonly params?: unknown[] },
): Promise<string[]> {
  const { rows } = await tx.query<{ name: string }>(
    `SELECT concat(${model.display('t', registry)}, ' (', t.id, ')') AS name FROM ${model.table} t WHERE ${condition}
      ORDER BY t.id LIMIT ${maxListedBlockers}`,
    params,
  );
  return rows.map(({ name }) => name);
}

/** Creates the error of a deletion that is prevented by `count` objects, and names some of these objects. */
export function deletionBlockedError(count: number, names: readonly string[]): Error {
  return errors.create('PROTECTED', { params: { count, objects: names.join(', ') } });
}
