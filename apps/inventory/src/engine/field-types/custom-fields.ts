import type { CustomField } from '../custom-fields/custom-field.js';
import {
  createCustomFieldValueSql,
  createCustomFieldValuesSql,
  customFieldValuesColumn,
} from '../custom-fields/stored-custom-field-value.js';
import type { ModelField, FieldSqlContext } from '../declaration/field.js';
import { createNestedObjectFragments } from '../read/object-json-fragments.js';
import {
  joinJsonFragmentsIntoSql,
  createJsonObjectFragments,
  quoteSqlLiteral,
  type JsonTextFragment,
  type SqlText,
  createComputedJsonFragment,
  createConstantJsonFragment,
} from '../sql/json-text-sql.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, addDefaultFieldProperties } from './field-traits.js';

/**
 * Maximum number of JSON members that one call of jsonb_build_object creates. PostgreSQL functions take at most 100
 * arguments, two for each member.
 */
const maxMembersPerBuildCall = 50;

/**
 * Creates the field `custom_fields`, which shows an object's custom field values by name, with null for missing values.
 * The field accepts any JSON object; `mergeSentCustomFieldValues` validates the values.
 */
export function customFieldValuesField(): ModelField<Readonly<Record<string, unknown>>> {
  return {
    kind: 'customFields',
    traits: addDefaultFieldProperties({}, {}),
    column: () => ({ name: customFieldValuesColumn, type: 'jsonb' }),
    json: (place) => {
      const fields = place.scope.customFields.getFieldsOfModel(place.model.type);
      if (fields.length === 0) return [createConstantJsonFragment('{}')];
      return createJsonObjectFragments(fields.map((field) => [field.name, [createCustomFieldJsonSql(field, place)]]));
    },
    snapshot: (place) => {
      const fields = place.scope.customFields.getFieldsOfModel(place.model.type);
      const members = fields.map(
        (field) => `${quoteSqlLiteral(field.name)}, ${createCustomFieldValueSql(place.alias, field)}`,
      );
      if (members.length === 0) return [createConstantJsonFragment('{}')];
      const parts = Array.from({ length: Math.ceil(members.length / maxMembersPerBuildCall) }, (_, index) =>
        members.slice(index * maxMembersPerBuildCall, (index + 1) * maxMembersPerBuildCall).join(', '),
      );
      return [createComputedJsonFragment(`(${parts.map((part) => `jsonb_build_object(${part})`).join(' || ')})::text`)];
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
      createCustomFieldValuesSql(createQualifiedColumnSql(place, customFieldValuesColumn), place.model.type),
    ],
  };
}

/** Returns the SQL fragment that shows the value of one custom field as JSON text. */
function createCustomFieldJsonSql(field: CustomField, place: FieldSqlContext): JsonTextFragment {
  const { type, relatedType } = field;
  const { registry } = place.scope;
  const own = createCustomFieldValueSql(place.alias, field);
  if (relatedType === null) return createComputedJsonFragment(`coalesce(${own}::text, 'null')`);
  const target = registry.find(relatedType);
  if (target === null) return createConstantJsonFragment('null');
  const alias = place.scope.alias();
  const shape = joinJsonFragmentsIntoSql(createNestedObjectFragments(target, alias, place.scope));
  const one = (ids: SqlText): SqlText => `FROM ${target.table} ${alias} WHERE ${alias}.id ${ids}`;
  if (type === 'object') {
    return createComputedJsonFragment(
      `coalesce((SELECT ${shape} ${one(`= ${createParseIdSql(`(${own} #>> '{}')`)}`)}), 'null')`,
    );
  }
  const ids = `IN (SELECT ${createParseIdSql('given')} FROM jsonb_array_elements_text(${own}) given)`;
  return createComputedJsonFragment(
    `CASE WHEN jsonb_typeof(${own}) IS DISTINCT FROM 'array' THEN 'null' ELSE concat('[', (SELECT string_agg(${shape}, ', ' ORDER BY ${alias}.id) ${one(ids)}), ']') END`,
  );
}

/**
 * Returns the SQL expression that parses a text as an id. The expression is null if the text is not an id: for example,
 * if a default value is empty.
 */
function createParseIdSql(value: SqlText): SqlText {
  return `CASE WHEN ${value} ~ '^[0-9]{1,18}$' THEN ${value}::bigint END`;
}
