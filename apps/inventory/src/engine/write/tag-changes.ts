import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { InputProblem } from './invalid-input-problem.js';
import { addFieldErrorMessages, type ParsedRequestObject, type ObjectWriteMode } from './parse-object-input.js';

/**
 * Keys of a request body that add or remove some of an object's tags. Responses do not contain these keys
 * (docs/contract/inventory.md 1.10).
 */
const tagChangeBodyKeys = ['add_tags', 'remove_tags'] as const;

/** Parses the keys `add_tags` and `remove_tags` of a request body. Their values have the same format as `tags`. */
export function parseTagChanges(
  item: ParsedRequestObject,
  sent: ReadonlyMap<string, unknown>,
  place: { model: ModelDefinition; registry: ModelRegistry; mode: ObjectWriteMode },
): void {
  const field = place.model.fields['tags'];
  const named = tagChangeBodyKeys.filter((key) => sent.has(key));
  if (field?.tagTables === undefined || named.length === 0) return;
  for (const name of named) {
    try {
      item.values[name] = field.input(sent.get(name), { name, ...place });
    } catch (error) {
      if (!(error instanceof InputProblem)) throw error;
      item.problems[name] = error.messages;
    }
  }
  if (sent.has('tags')) {
    addFieldErrorMessages(item, 'tags', ['Cannot specify "tags" together with "add_tags" or "remove_tags".']);
  }
  if (place.mode === 'create' && sent.has('remove_tags')) {
    addFieldErrorMessages(item, 'remove_tags', ['Cannot use "remove_tags" when creating a new object.']);
  }
}

/**
 * Collects errors for tags that a request both adds to and removes from the same object. If there are such tags, reads
 * their names from the database.
 */
export async function checkTagChanges(
  tx: Tx,
  items: readonly ParsedRequestObject[],
  { model, registry }: { model: ModelDefinition; registry: ModelRegistry },
): Promise<void> {
  const tag = registry.find(model.fields['tags']?.tagTables?.type ?? '');
  if (tag === null) return;
  for (const item of items) {
    const removed = new Set(getFoundTagIds(item, 'remove_tags'));
    const both = getFoundTagIds(item, 'add_tags').filter((id) => removed.has(id));
    if (both.length === 0) continue;
    const { rows } = await tx.query<{ names: string }>(
      `SELECT string_agg(name, ', ' ORDER BY name) AS names FROM ${tag.table} WHERE id = ANY ($1::bigint[])`,
      [both],
    );
    const text = `Tags may not be present in both "add_tags" and "remove_tags": ${rows[0]?.names ?? ''}`;
    addFieldErrorMessages(item, 'non_field_errors', [text]);
  }
}

/** Returns true if the request for a new object contains tags. */
export function hasTagsInRequest(item: ParsedRequestObject): boolean {
  return getFoundTagIds(item, 'tags').length + getFoundTagIds(item, 'add_tags').length > 0;
}

/**
 * Returns the ids of the tags found for a key of an object's request body, such as `add_tags`. Returns an empty list if
 * the client did not send the key.
 */
export function getFoundTagIds(item: ParsedRequestObject | undefined, key: string): number[] {
  const value = item?.values[key];
  return Array.isArray(value) ? value.map(Number) : [];
}
