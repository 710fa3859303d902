import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/define-model.js';
import { replaceManyToManyRelations, hasManyToManyValues } from './many-to-many-writes.js';
import type { ParsedRequestObject } from './parse-object-input.js';
import { replaceRowLists, hasRowListValues } from './row-list-assignments.js';
import type { WrittenObjectWithTags } from './tag-assignments.js';

/** Returns true if the request for a new object contains related objects other than tags. */
export function hasRelatedObjectValues(model: ModelDefinition, item: ParsedRequestObject): boolean {
  return hasManyToManyValues(model, item) || hasRowListValues(model, item);
}

/**
 * Writes the fields of a request whose values are stored in other tables. Does not write tags, which `replaceObjectTags`
 * writes.
 *
 * @returns true if the request contains such a field for any object
 */
export async function writeRelatedFields(
  tx: Tx,
  model: ModelDefinition,
  written: readonly WrittenObjectWithTags[],
): Promise<boolean> {
  const paired = await replaceManyToManyRelations(tx, model, written);
  const listed = await replaceRowLists(tx, model, written);
  return paired || listed;
}
