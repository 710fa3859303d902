import type { Field } from '../declaration/field.js';
import { dateFilter, isCalendarDay } from '../filter/date-filter.js';
import { nullableSchema } from '../meta/json-schema-of-values.js';
import { jsonValue } from '../sql/json-text-sql.js';
import { invalidInputProblem } from '../write/invalid-input-problem.js';
import { qualifiedColumnSql, type TraitOptions, traitsWithDefaults } from './field-traits.js';

/** Creates a field for a calendar day, `YYYY-MM-DD`. */
export function dateField(options: TraitOptions<string | null> = {}): Field<string | null> {
  const own = traitsWithDefaults(options, null);
  const schema = { type: 'string', format: 'date' };
  const wire = own.nullable ? nullableSchema(schema) : schema;
  return {
    kind: 'date',
    traits: own,
    column: (name) => ({ name, type: 'date' }),
    json: (place) => [jsonValue(qualifiedColumnSql(place, place.name))],
    snapshot: (place) => [jsonValue(qualifiedColumnSql(place, place.name))],
    input: (value) => {
      if (value === null && own.nullable) return null;
      if (value === null) throw invalidInputProblem('This field may not be null.');
      const text = typeof value === 'string' ? value.trim() : '';
      if (!isCalendarDay(text))
        throw invalidInputProblem('Date has wrong format. Use one of these formats instead: YYYY-MM-DD.');
      return text;
    },
    schema: { read: () => wire, write: () => wire },
    metadata: { type: 'date' },
    filters: (name) => [dateFilter(name, (alias) => `${alias}."${name}"`)],
    order: (place) => [qualifiedColumnSql(place, place.name)],
  };
}
