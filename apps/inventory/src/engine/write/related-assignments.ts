import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/model.js';
import { assignPairs, namesPairs } from './join-assignments.js';
import type { WriteItem } from './read-input.js';
import { assignRows, namesRows } from './row-assignments.js';
import type { TaggedItem } from './tag-assignments.js';

/** Returns true if a new object has related objects in the body, without tags. */
export function namesRelated(model: ModelDefinition, item: WriteItem): boolean {
  return namesPairs(model, item) || namesRows(model, item);
}

/**
 * Writes what other tables keep of objects, as their bodies name it, tags aside.
 *
 * @returns whether anything was touched
 */
export async function assignRelated(tx: Tx, model: ModelDefinition, written: readonly TaggedItem[]): Promise<boolean> {
  const paired = await assignPairs(tx, model, written);
  const listed = await assignRows(tx, model, written);
  return paired || listed;
}
