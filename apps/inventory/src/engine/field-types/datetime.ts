import type { ModelField } from '../declaration/field.js';
import { datetimeFilter } from '../filter/number-filter.js';
import { createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import { createJsonTimeFragment, createComputedJsonFragment } from '../sql/json-text-sql.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

const datetimePattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?\d*)?) ?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * Creates a field for a point in time, shown as ISO 8601 in UTC with microseconds. Input without a time zone is read as
 * UTC.
 */
export function datetimeField(options: FieldPropertyOptions<string | null> = {}): ModelField<string | null> {
  const own = addDefaultFieldProperties(options, null);
  const schema = { type: 'string', format: 'date-time' };
  const wire = own.nullable ? createNullableJsonSchema(schema) : schema;
  return {
    kind: 'datetime',
    traits: own,
    column: (name) => ({ name, type: 'timestamptz' }),
    json: (place) => [createJsonTimeFragment(createQualifiedColumnSql(place, place.name))],
    snapshot: (place) => [
      createComputedJsonFragment(
        `coalesce(to_char(${createQualifiedColumnSql(place, place.name)} AT TIME ZONE 'UTC', '"\\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\""'), 'null')`,
      ),
    ],
    input: (value) => {
      if (value === null && own.nullable) return null;
      if (value === null) throw createInvalidInputProblem('This field may not be null.');
      return parseDatetime(value);
    },
    schema: { read: () => wire, write: () => wire },
    metadata: { type: 'datetime' },
    filters: (name) => [datetimeFilter(name, (alias) => `${alias}."${name}"`)],
    order: (place) => [createQualifiedColumnSql(place, place.name)],
  };
}

function parseDatetime(value: unknown): string {
  const parts = typeof value === 'string' ? datetimePattern.exec(value.trim()) : null;
  const [, day = '', time = '', zone = 'Z'] = parts ?? [];
  const written = `${day}T${time}${zone.length === 3 ? `${zone}:00` : zone.toUpperCase()}`;
  // Date accepts 30 February and returns a day of March; such input is refused.
  const real = parts !== null && !Number.isNaN(Date.parse(written)) && isValidCalendarDay(day);
  if (!real) {
    throw createInvalidInputProblem(
      'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
    );
  }
  return written;
}

function isValidCalendarDay(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}
