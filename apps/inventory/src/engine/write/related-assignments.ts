import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/model.js';
import { assignPairs, hasPairsInRequest } from './many-to-many-writes.js';
import type { WriteItem } from './read-input.js';
import { assignRows, hasRowsInRequest } from './row-assignments.js';
import type { TaggedItem } from './tag-assignments.js';

/** Returns true if the request for a new object contains related objects other than tags. */
export function hasRelatedInRequest(model: ModelDefinition, item: WriteItem): boolean {
  return hasPairsInRequest(model, item) || hasRowsInRequest(model, item);
}

/**
 * Writes those fields of objects that are stored in other tables, with the values in the request. Tags are written by
 * `assignTags`.
 *
 * @returns true if the request contains such a field for any object
 */
export async function assignRelated(tx: Tx, model: ModelDefinition, written: readonly TaggedItem[]): Promise<boolean> {
  const paired = await assignPairs(tx, model, written);
  const listed = await assignRows(tx, model, written);
  return paired || listed;
}
