import { fromJSONSchema } from 'zod';
import { hasNullCharacter } from '../field-types/json.js';
import type { CustomFieldChoiceSet, CustomField } from './custom-field.js';

/**
 * Returns the error message for a custom field value, worded like in the reference API (NetBox)
 * (docs/contract/inventory.md 1.10). Returns null if the value is valid. Does not check regular expressions, because
 * PostgreSQL matches them (`checkCustomFieldRegularExpressions`).
 */
export function findCustomFieldValueProblem(field: CustomField, value: unknown): string | null {
  if (value === null || value === undefined || value === '') {
    return field.required ? 'Required field cannot be empty.' : null;
  }
  if (hasNullCharacter(value)) return 'Null characters are not allowed.';
  return valueCheckByFieldType[field.type](value, field);
}

const findNonTextValueProblem = (value: unknown): string | null =>
  typeof value === 'string' ? null : 'Value must be a string.';

const valueCheckByFieldType: Readonly<
  Record<CustomField['type'], (value: unknown, field: CustomField) => string | null>
> = {
  text: findNonTextValueProblem,
  longtext: findNonTextValueProblem,
  url: findNonTextValueProblem,
  integer: (value, field) =>
    typeof value === 'number' && Number.isSafeInteger(value)
      ? findNumberBoundsProblem(value, field)
      : 'Value must be an integer.',
  decimal: (value, field) => {
    const given = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
    return Number.isFinite(given) && value !== '' ? findNumberBoundsProblem(given, field) : 'Value must be a decimal.';
  },
  boolean: (value) =>
    value === true || value === false || value === 0 || value === 1 ? null : 'Value must be true or false.',
  date: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && isCalendarDayText(value)
      ? null
      : 'Date values must be in ISO 8601 format (YYYY-MM-DD).',
  datetime: (value) =>
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?$/.test(value) &&
    isCalendarDayText(value.slice(0, 10)) &&
    !Number.isNaN(Date.parse(value.replace(' ', 'T')))
      ? null
      : 'Date and time values must be in ISO 8601 format (YYYY-MM-DD HH:MM:SS).',
  select: (value, { choiceSet }) =>
    typeof value === 'string' && isChoiceOfCustomField(choiceSet, value)
      ? null
      : `Invalid choice (${formatValueForMessage(value)}) for choice set ${choiceSet?.name ?? ''}.`,
  multiselect: (value, { choiceSet }) => {
    const given: unknown[] = Array.isArray(value) ? value : [value];
    const wrong = given.filter((one) => typeof one !== 'string' || !isChoiceOfCustomField(choiceSet, one));
    return Array.isArray(value) && wrong.length === 0
      ? null
      : `Invalid choice(s) (${given.map(formatValueForMessage).join(', ')}) for choice set ${choiceSet?.name ?? ''}.`;
  },
  object: (value) => (typeof value === 'number' ? null : `Value must be an object ID, not ${typeof value}`),
  multiobject: (value) => (Array.isArray(value) ? null : `Value must be a list of object IDs, not ${typeof value}`),
  json: (value, { schema }) => {
    const result = createJsonSchemaValidator(schema)?.safeParse(value);
    return result?.success === false
      ? `Value does not conform to schema: ${result.error.issues[0]?.message ?? ''}`
      : null;
  },
};

/** Returns a validator for a JSON schema, or null if there is no schema or zod cannot read the schema. */
export function createJsonSchemaValidator(schema: unknown): ReturnType<typeof fromJSONSchema> | null {
  if (schema === null || typeof schema !== 'object') return null;
  try {
    return fromJSONSchema(Object(completeJsonSchema(schema)));
  } catch {
    return null;
  }
}

/**
 * Completes a JSON schema for zod: required properties without a schema accept any value, and a schema with
 * `properties` gets the type `object`.
 */
function completeJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(completeJsonSchema);
  if (schema === null || typeof schema !== 'object') return schema;
  const parts: Record<string, unknown> = Object.fromEntries(
    Object.entries(schema).map(([key, part]) => [
      key,
      key === 'properties' ? completePropertySchemas(part) : completeJsonSchema(part),
    ]),
  );
  const { required } = parts;
  const names = Array.isArray(required) ? required.map(String) : [];
  if (names.length > 0) {
    const undescribed = Object.fromEntries(names.map((name) => [name, {}]));
    parts['properties'] = { ...undescribed, ...Object(parts['properties']) };
  }
  return 'properties' in parts && !('type' in parts) ? { type: 'object', ...parts } : parts;
}

function completePropertySchemas(properties: unknown): unknown {
  return Object.fromEntries(
    Object.entries(Object(properties)).map(([name, schema]) => [name, completeJsonSchema(schema)]),
  );
}

function findNumberBoundsProblem(value: number, { minimum, maximum }: CustomField): string | null {
  if (minimum !== null && value < Number(minimum)) return `Value must be at least ${minimum}`;
  return maximum !== null && value > Number(maximum) ? `Value must not exceed ${maximum}` : null;
}

function isChoiceOfCustomField(set: CustomFieldChoiceSet | null, value: string): boolean {
  if (set === null) return false;
  return set.values.has(value) || set.base?.has(value) === true;
}

function isCalendarDayText(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function formatValueForMessage(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
