import type { CustomField } from '../custom-fields/custom-field.js';
import {
  customFieldValueSql,
  customFieldValuesByNameSql,
  customFieldValuesColumn,
} from '../custom-fields/stored-custom-field-value.js';
import type { ModelField, FieldSqlContext } from '../declaration/field.js';
import { createNestedObjectFragments } from '../read/object-json-fragments.js';
import {
  assembleJsonText,
  jsonObject,
  sqlLiteral,
  type JsonTextFragment,
  type SqlText,
  computedJson,
  constantJson,
} from '../sql/json-text-sql.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { qualifiedColumnSql, addDefaultFieldProperties } from './field-traits.js';

/**
 * Maximum number of JSON members that one call of jsonb_build_object creates. PostgreSQL functions take at most 100
 * arguments, two for each member.
 */
const maxJsonMembersPerCall = 50;

/**
 * Creates the field `custom_fields`, which shows an object's custom field values by name, with null for missing values.
 * The field accepts any JSON object; `applyCustomFields` validates the values.
 */
export function customFieldValuesField(): ModelField<Readonly<Record<string, unknown>>> {
  return {
    kind: 'customFields',
    traits: addDefaultFieldProperties({}, {}),
    column: () => ({ name: customFieldValuesColumn, type: 'jsonb' }),
    json: (place) => {
      const fields = place.scope.customFields.getFieldsOfModel(place.model.type);
      if (fields.length === 0) return [constantJson('{}')];
      return jsonObject(fields.map((field) => [field.name, [customFieldJson(field, place)]]));
    },
    snapshot: (place) => {
      const fields = place.scope.customFields.getFieldsOfModel(place.model.type);
      const members = fields.map((field) => `${sqlLiteral(field.name)}, ${customFieldValueSql(place.alias, field)}`);
      if (members.length === 0) return [constantJson('{}')];
      const parts = Array.from({ length: Math.ceil(members.length / maxJsonMembersPerCall) }, (_, index) =>
        members.slice(index * maxJsonMembersPerCall, (index + 1) * maxJsonMembersPerCall).join(', '),
      );
      return [computedJson(`(${parts.map((part) => `jsonb_build_object(${part})`).join(' || ')})::text`)];
    },
    input: (value) => {
      if (value === null) throw createInvalidInputProblem('This field may not be null.');
      if (typeof value !== 'object' || Array.isArray(value)) {
        throw createInvalidInputProblem(
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
    order: (place) => [
      customFieldValuesByNameSql(qualifiedColumnSql(place, customFieldValuesColumn), place.model.type),
    ],
  };
}

/** Returns the SQL fragment that shows the value of one custom field as JSON text. */
function customFieldJson(field: CustomField, place: FieldSqlContext): JsonTextFragment {
  const { type, relatedType } = field;
  const { registry } = place.scope;
  const own = customFieldValueSql(place.alias, field);
  if (relatedType === null) return computedJson(`coalesce(${own}::text, 'null')`);
  const target = registry.find(relatedType);
  if (target === null) return constantJson('null');
  const alias = place.scope.alias();
  const shape = assembleJsonText(createNestedObjectFragments(target, alias, place.scope));
  const one = (ids: SqlText): SqlText => `FROM ${target.table} ${alias} WHERE ${alias}.id ${ids}`;
  if (type === 'object') {
    return computedJson(`coalesce((SELECT ${shape} ${one(`= ${parseIdSql(`(${own} #>> '{}')`)}`)}), 'null')`);
  }
  const ids = `IN (SELECT ${parseIdSql('given')} FROM jsonb_array_elements_text(${own}) given)`;
  return computedJson(
    `CASE WHEN jsonb_typeof(${own}) IS DISTINCT FROM 'array' THEN 'null' ELSE concat('[', (SELECT string_agg(${shape}, ', ' ORDER BY ${alias}.id) ${one(ids)}), ']') END`,
  );
}

/**
 * Returns the SQL expression that parses a text as an id. The expression is null if the text is not an id: for example,
 * if a default value is empty.
 */
function parseIdSql(value: SqlText): SqlText {
  return `CASE WHEN ${value} ~ '^[0-9]{1,18}$' THEN ${value}::bigint END`;
}
