import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/model.js';
import { assignPairs, namesPairs } from './join-assignments.js';
import type { WriteItem } from './read-input.js';
import { assignRows, namesRows } from './row-assignments.js';
import type { TaggedItem } from './tag-assignments.js';

/** Returns true if a new object's body contains related objects other than tags. */
export function namesRelated(model: ModelDefinition, item: WriteItem): boolean {
  return namesPairs(model, item) || namesRows(model, item);
}

/**
 * Writes the parts of objects that are in other tables, as sent in the bodies. Tags are written by `assignTags`.
 *
 * @returns true if the body of any object has such a part
 */
export async function assignRelated(tx: Tx, model: ModelDefinition, written: readonly TaggedItem[]): Promise<boolean> {
  const paired = await assignPairs(tx, model, written);
  const listed = await assignRows(tx, model, written);
  return paired || listed;
}
