import type { ModelField } from '../declaration/field.js';
import { dateFilter, isCalendarDayFilterValue } from '../filter/date-filter.js';
import { createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import { createJsonValueFragment } from '../sql/json-text-sql.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

/** Creates a field for a calendar day, `YYYY-MM-DD`. */
export function dateField(options: FieldPropertyOptions<string | null> = {}): ModelField<string | null> {
  const own = addDefaultFieldProperties(options, null);
  const schema = { type: 'string', format: 'date' };
  const wire = own.nullable ? createNullableJsonSchema(schema) : schema;
  return {
    kind: 'date',
    traits: own,
    column: (name) => ({ name, type: 'date' }),
    json: (place) => [createJsonValueFragment(createQualifiedColumnSql(place, place.name))],
    snapshot: (place) => [createJsonValueFragment(createQualifiedColumnSql(place, place.name))],
    input: (value) => {
      if (value === null && own.nullable) return null;
      if (value === null) throw createInvalidInputProblem('This field may not be null.');
      const text = typeof value === 'string' ? value.trim() : '';
      if (!isCalendarDayFilterValue(text))
        throw createInvalidInputProblem('Date has wrong format. Use one of these formats instead: YYYY-MM-DD.');
      return text;
    },
    schema: { read: () => wire, write: () => wire },
    metadata: { type: 'date' },
    filters: (name) => [dateFilter(name, (alias) => `${alias}."${name}"`)],
    order: (place) => [createQualifiedColumnSql(place, place.name)],
  };
}
