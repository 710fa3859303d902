import type { ModelField } from '../declaration/field.js';
import { uuidFilter } from '../filter/uuid-filter.js';
import { createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import { createJsonValueFragment } from '../sql/json-text-sql.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

/**
 * Creates a field for a UUID, shown in lower case with hyphens. Input may omit the hyphens. Filters by the field can
 * only test for equality.
 */
export function uuidField(options: FieldPropertyOptions<string | null> = {}): ModelField<string | null> {
  const own = addDefaultFieldProperties(options, null);
  const schema = { type: 'string', format: 'uuid' };
  const wire = own.nullable ? createNullableJsonSchema(schema) : schema;
  return {
    kind: 'uuid',
    traits: own,
    column: (name) => ({ name, type: 'uuid' }),
    json: (place) => [createJsonValueFragment(createQualifiedColumnSql(place, place.name))],
    snapshot: (place) => [createJsonValueFragment(createQualifiedColumnSql(place, place.name))],
    input: (value) => {
      if (value === null && own.nullable) return null;
      if (value === null) throw createInvalidInputProblem('This field may not be null.');
      const given = typeof value === 'string' ? value.trim().toLowerCase() : '';
      const digits = given.replaceAll('-', '');
      if (!/^[0-9a-f]{32}$/.test(digits) || !/^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/.test(given)) {
        throw createInvalidInputProblem('Must be a valid UUID.');
      }
      return digits;
    },
    schema: { read: () => wire, write: () => wire },
    metadata: { type: 'string' },
    filters: (name) => [uuidFilter(name, (alias, requested) => `${alias}."${name}" = ${requested}`)],
    order: (place) => [createQualifiedColumnSql(place, place.name)],
  };
}
