import { quoteSqlLiteral, type SqlText } from '../sql/json-text-sql.js';
import type { CustomField } from './custom-field.js';

/** Column of a model's table that stores the values of custom fields. */
export const customFieldValuesColumn = 'custom_field_data';

type CustomFieldStorageKey = Pick<CustomField, 'key' | 'initial'>;

/** Returns true if the custom field has an initial value, which applies to objects without a stored value. */
function hasInitialCustomFieldValue({ initial }: CustomFieldStorageKey): boolean {
  return (initial ?? null) !== null;
}

/** Returns the SQL expression for an object's custom field value as jsonb; null for no value. */
export function createCustomFieldValueSql(alias: string, field: CustomFieldStorageKey): SqlText {
  const [data, key] = [`${alias}.${customFieldValuesColumn}`, quoteSqlLiteral(field.key)];
  if (!hasInitialCustomFieldValue(field)) return `(${data} -> ${key})`;
  const initial = `${quoteSqlLiteral(JSON.stringify(field.initial))}::jsonb`;
  return `nullif(CASE WHEN ${data} ? ${key} THEN ${data} -> ${key} ELSE ${initial} END, 'null')`;
}

/** Returns the SQL expression for an object's custom field value as text; null for no value. */
export function createCustomFieldTextSql(alias: string, field: CustomFieldStorageKey): SqlText {
  if (!hasInitialCustomFieldValue(field))
    return `(${alias}.${customFieldValuesColumn} ->> ${quoteSqlLiteral(field.key)})`;
  return `(${createCustomFieldValueSql(alias, field)} #>> '{}')`;
}

/**
 * Returns the SQL condition that an object's custom field value equals or contains a value in the list `values`. The
 * callback `contains` builds the containment condition on the column, so that the condition can use an index.
 */
export function createContainsAnyValueSql(
  alias: string,
  field: CustomFieldStorageKey,
  values: readonly unknown[],
  contains: (keyed: readonly string[]) => SqlText,
): SqlText {
  const stored = contains(values.map((value) => JSON.stringify({ [field.key]: value })));
  if (!values.some((value) => containsJsonbValue(field.initial, value))) return stored;
  return `(${stored} OR NOT ${alias}.${customFieldValuesColumn} ? ${quoteSqlLiteral(field.key)})`;
}

/**
 * Returns true if `whole` contains `part`, by the rules of the jsonb operator `@>`. The two values are then equal, or
 * `whole` is a list that contains all items of `part`.
 */
function containsJsonbValue(whole: unknown, part: unknown): boolean {
  if (!Array.isArray(part)) return JSON.stringify(whole) === JSON.stringify(part);
  const items = Array.isArray(whole) ? whole.map((item) => JSON.stringify(item)) : [];
  return Array.isArray(whole) && part.every((item) => items.includes(JSON.stringify(item)));
}

/**
 * Returns the SQL expression for a jsonb object with all custom field values of an object by field name. Absent values
 * are omitted.
 */
export function createCustomFieldValuesSql(data: SqlText, type: string): SqlText {
  return `custom_field_values(${data}, ${quoteSqlLiteral(type)})`;
}

/**
 * Returns the SQL expression for a custom field value like {@link createCustomFieldValueSql}. The name of the field is itself
 * an SQL expression. The field is looked up once per statement.
 */
export function createNamedFieldValueSql(data: SqlText, name: SqlText, type: string): SqlText {
  const key = `(SELECT custom_field_key(${name}, ${quoteSqlLiteral(type)}))`;
  const initial = `(SELECT custom_field_initial(${name}, ${quoteSqlLiteral(type)}))`;
  return `nullif(CASE WHEN ${data} ? ${key} THEN ${data} -> ${key} ELSE ${initial} END, 'null')`;
}

/** Returns the custom field values of an object by field name. Absent values are omitted. */
export function readCustomFieldValuesByName(
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
 * Returns the stored column `before` with the given custom field values, by field name, merged into the column. The
 * initial value of a field is stored only if it replaces another stored value. Unknown keys remain unchanged.
 */
export function mergeStoredCustomFieldValues(
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
