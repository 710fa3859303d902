import type { ModelDefinition, RowValueByColumn } from '../declaration/define-model.js';
import { listStoredFieldNames } from './stored-columns-of-models.js';
import { getDefaultValue, type ParsedObject } from './parse-object-input.js';

/**
 * Returns the values to store for an object. A value that the client sent replaces the stored value. A missing value is
 * replaced with the default value.
 */
export function mergeRowValues(
  model: ModelDefinition,
  item: ParsedObject,
  previous: RowValueByColumn | null,
): RowValueByColumn {
  const row: Record<string, unknown> = {};
  const stored = listStoredFieldNames(model);
  for (const [name, field] of Object.entries(model.fields)) {
    const sent = Object.hasOwn(item.values, name);
    if (!sent && !stored.has(name)) continue;
    const before = previous?.[name];
    const given = item.values[name];
    if (!sent) row[name] = previous === null ? getDefaultValue(field.traits) : before;
    else row[name] = previous === null || field.combine === undefined ? given : field.combine(before, given);
  }
  return row;
}
