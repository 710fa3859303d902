import type { ModelField } from '../engine/declaration/field.js';
import { computedField } from '../engine/field-types/computed-field.js';
import { jsonField } from '../engine/field-types/json.js';
import { quoteSqlLiteral, createComputedJsonFragment, type SqlText } from '../engine/sql/json-text-sql.js';
import { createInvalidInputProblem } from '../engine/write/invalid-input-problem.js';

/**
 * Checks that a sent value is a JSON object.
 *
 * @throws InputProblem if it is not
 */
export function rejectNonObjectContextData(value: unknown): void {
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw createInvalidInputProblem('JSON data must be in object form. Example: {"foo": 123}');
  }
}

/**
 * Field with an object's own config context data, which overrides the data of the config contexts that apply to the
 * object.
 */
export const localContextDataField = jsonField({ nullable: true, check: rejectNonObjectContextData });

const hasActiveContextSql = 'EXISTS (SELECT FROM extras_configcontext c WHERE c.is_active)';

/**
 * Creates the field with the merged data of the config contexts that apply to an object, overridden by its own data.
 * Not computed if there are no config contexts, or if `exclude` omits the field.
 *
 * @param columns columns that config contexts can select by, if the model has them
 */
export function createConfigContextField(columns: {
  readonly location?: string;
  readonly deviceType?: string;
}): ModelField<never> {
  const merged = (alias: string, type: string): SqlText => {
    const column = (name: string | undefined): SqlText => (name === undefined ? 'NULL' : `${alias}."${name}"`);
    const given = [
      `${alias}.id`,
      `${alias}.site_id`,
      column(columns.location),
      column(columns.deviceType),
      ...['role_id', 'platform_id', 'cluster_id', 'tenant_id', 'local_context_data'].map(column),
    ];
    return `extras_config_context(${[quoteSqlLiteral(type), ...given].join(', ')})`;
  };
  const field = computedField({
    json: ({ alias, model }) => [
      createComputedJsonFragment(`CASE WHEN ${hasActiveContextSql} THEN ${merged(alias, model.type)}
        ELSE coalesce(${alias}.local_context_data, '{}') END::text`),
    ],
    schema: { type: 'object', additionalProperties: true },
    excludable: true,
  });
  return {
    ...field,
    foreignTexts: {
      exist: hasActiveContextSql,
      rowsTogether: 25,
      isShownByNew: true,
      bytes: (alias, type) =>
        `CASE WHEN ${hasActiveContextSql} THEN octet_length(${merged(alias, type)}::text) ELSE 0 END`,
    },
  };
}
