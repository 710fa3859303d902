import type { ModelDefinition, ObjectValuesToStore } from '../declaration/define-model.js';
import { listStoredFieldNames } from './stored-columns-of-models.js';
import { getFieldDefaultValue, type ParsedRequestObject } from './parse-object-input.js';

/**
 * Returns the values to store for an object. A value that the client sent replaces the stored value. A missing value is
 * replaced with the default value.
 */
export function mergeSentAndStoredValues(
  model: ModelDefinition,
  item: ParsedRequestObject,
  previous: ObjectValuesToStore | null,
): ObjectValuesToStore {
  const row: Record<string, unknown> = {};
  const stored = listStoredFieldNames(model);
  for (const [name, field] of Object.entries(model.fields)) {
    const sent = Object.hasOwn(item.values, name);
    if (!sent && !stored.has(name)) continue;
    const before = previous?.[name];
    const given = item.values[name];
    if (!sent) row[name] = previous === null ? getFieldDefaultValue(field.traits) : before;
    else row[name] = previous === null || field.combine === undefined ? given : field.combine(before, given);
  }
  return row;
}
