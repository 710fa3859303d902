import { literal, type Sql } from '../sql/pieces.js';
import type { CustomField } from './custom-field.js';

/** Column of a model's table with the values of its custom fields. */
export const valuesColumn = 'custom_field_data';

type Stored = Pick<CustomField, 'key' | 'initial'>;

/** True if objects have a value before one is stored. */
function hasInitial({ initial }: Stored): boolean {
  return (initial ?? null) !== null;
}

/** The expression of a value as jsonb; null where the object has none. */
export function storedValue(alias: string, field: Stored): Sql {
  const [data, key] = [`${alias}.${valuesColumn}`, literal(field.key)];
  if (!hasInitial(field)) return `(${data} -> ${key})`;
  const initial = `${literal(JSON.stringify(field.initial))}::jsonb`;
  return `nullif(CASE WHEN ${data} ? ${key} THEN ${data} -> ${key} ELSE ${initial} END, 'null')`;
}

/** The expression of a value as text; null where the object has none. */
export function storedText(alias: string, field: Stored): Sql {
  if (!hasInitial(field)) return `(${alias}.${valuesColumn} ->> ${literal(field.key)})`;
  return `(${storedValue(alias, field)} #>> '{}')`;
}

/**
 * Condition that an object's value equals or contains one of the values; `contains` builds the containment condition,
 * which can use an index.
 */
export function holdsAny(
  alias: string,
  field: Stored,
  values: readonly unknown[],
  contains: (keyed: readonly string[]) => Sql,
): Sql {
  const stored = contains(values.map((value) => JSON.stringify({ [field.key]: value })));
  if (!values.some((value) => containsValue(field.initial, value))) return stored;
  return `(${stored} OR NOT ${alias}.${valuesColumn} ? ${literal(field.key)})`;
}

/** True for what `@>` of jsonb finds: the value itself, or a list with the items of the other. */
function containsValue(whole: unknown, part: unknown): boolean {
  if (!Array.isArray(part)) return JSON.stringify(whole) === JSON.stringify(part);
  const items = Array.isArray(whole) ? whole.map((item) => JSON.stringify(item)) : [];
  return Array.isArray(whole) && part.every((item) => items.includes(JSON.stringify(item)));
}

/** All values as one object by name, as jsonb without those that an object does not have. */
export function valuesByName(data: Sql, type: string): Sql {
  return `custom_field_values(${data}, ${literal(type)})`;
}

/** {@link storedValue} of the field with a name given as expression, looked up once per statement. */
export function valueByName(data: Sql, name: Sql, type: string): Sql {
  const key = `(SELECT custom_field_key(${name}, ${literal(type)}))`;
  const initial = `(SELECT custom_field_initial(${name}, ${literal(type)}))`;
  return `nullif(CASE WHEN ${data} ? ${key} THEN ${data} -> ${key} ELSE ${initial} END, 'null')`;
}

/** The values of an object by the names of the fields, without those that it does not have. */
export function namedValues(
  stored: Readonly<Record<string, unknown>>,
  fields: readonly CustomField[],
): Record<string, unknown> {
  const values = fields.map((field) => [
    field.name,
    Object.hasOwn(stored, field.key) ? stored[field.key] : field.initial,
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== null && value !== undefined));
}

/**
 * Builds the stored column from values by name, over those stored before. A default is stored only when it replaces a
 * value; unknown keys remain.
 */
export function storedValues(
  values: Readonly<Record<string, unknown>>,
  fields: readonly CustomField[],
  before: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const stored = { ...before };
  for (const { key, name, initial } of fields) {
    const value = values[name] ?? null;
    const isInitial = JSON.stringify(value) === JSON.stringify(initial ?? null);
    if (isInitial && (value === null || !Object.hasOwn(stored, key))) delete stored[key];
    else stored[key] = value;
  }
  return stored;
}
