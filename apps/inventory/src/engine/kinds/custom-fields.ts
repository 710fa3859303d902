import type { CustomField } from '../custom-fields/custom-field.js';
import type { Field, Place } from '../declaration/field.js';
import { nestedObject } from '../read/representation.js';
import { assemble, jsonObject, literal, type Piece, type Sql, sql, text } from '../sql/pieces.js';
import { refuse } from '../write/input-problem.js';
import { columnOf, traits } from './traits.js';

/**
 * Values of the custom fields that are assigned to the model, null where an object has none. They are read as a whole
 * here; what each of them takes is checked by `applyCustomFields`, which knows the fields.
 */
export function customFields(): Field<Readonly<Record<string, unknown>>> {
  return {
    kind: 'customFields',
    traits: traits({}, {}),
    column: () => ({ name: 'custom_field_data', type: 'jsonb' }),
    json: (place) => {
      const fields = place.scope.customFields.of(place.model.type);
      if (fields.length === 0) return [text('{}')];
      return jsonObject(fields.map((field) => [field.name, [shown(field, place)]]));
    },
    snapshot: (place) => {
      const names = place.scope.customFields.of(place.model.type).map(({ name }) => [name, null]);
      const unset = literal(JSON.stringify(Object.fromEntries(names)));
      const stored = columnOf(place, 'custom_field_data');
      return [sql(names.length === 0 ? `${stored}::text` : `(${unset}::jsonb || ${stored})::text`)];
    },
    input: (value) => {
      if (value === null) throw refuse('This field may not be null.');
      if (typeof value !== 'object' || Array.isArray(value)) {
        throw refuse(
          'Invalid data format. Custom field data must be passed as a dictionary mapping field names to their values.',
        );
      }
      return { ...value };
    },
    schema: {
      read: () => ({ type: 'object', additionalProperties: true }),
      write: () => ({ type: 'object', additionalProperties: true }),
    },
    metadata: { type: 'field' },
    filters: () => [],
    order: (place) => [columnOf(place, 'custom_field_data')],
  };
}

/** One value as JSON text. */
function shown({ name, type, relatedType }: CustomField, place: Place): Piece {
  const { registry } = place.scope;
  const own = `(${columnOf(place, 'custom_field_data')} -> ${literal(name)})`;
  if (relatedType === null) return sql(`coalesce(${own}::text, 'null')`);
  const target = registry.find(relatedType);
  if (target === null) return text('null');
  const alias = place.scope.alias();
  const shape = assemble(nestedObject(target, alias, place.scope));
  const one = (ids: Sql): Sql => `FROM ${target.table} ${alias} WHERE ${alias}.id ${ids}`;
  if (type === 'object') {
    return sql(`coalesce((SELECT ${shape} ${one(`= (${own} #>> '{}')::bigint`)}), 'null')`);
  }
  const ids = `IN (SELECT jsonb_array_elements_text(${own})::bigint)`;
  return sql(
    `CASE WHEN ${own} IS NULL THEN 'null' ELSE concat('[', (SELECT string_agg(${shape}, ', ' ORDER BY ${alias}.id) ${one(ids)}), ']') END`,
  );
}
