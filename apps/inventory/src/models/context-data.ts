import type { Field } from '../engine/declaration/field.js';
import { computed } from '../engine/field-types/computed.js';
import { json } from '../engine/field-types/json.js';
import { literal, sql, type Sql } from '../engine/sql/pieces.js';
import { refuse } from '../engine/write/input-problem.js';

/** @throws InputProblem unless the value is an object */
export function refuseUnlessObject(value: unknown): void {
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw refuse('JSON data must be in object form. Example: {"foo": 123}');
  }
}

/** Local config context data of an object, merged over config contexts. */
export const localContextData = json({ nullable: true, check: refuseUnlessObject });

/**
 * Merged data of the config contexts of an object, with its own data on top. Nothing is looked for while there is no
 * context, and nothing at all where `exclude` leaves the field out.
 *
 * @param columns those by which contexts choose, where the model has them
 */
export function configContext(columns: { readonly location?: string; readonly deviceType?: string }): Field<never> {
  return computed({
    json: ({ alias, model }) => {
      const column = (name: string | undefined): Sql => (name === undefined ? 'NULL' : `${alias}."${name}"`);
      const given = [
        `${alias}.id`,
        `${alias}.site_id`,
        column(columns.location),
        column(columns.deviceType),
        ...['role_id', 'platform_id', 'cluster_id', 'tenant_id', 'local_context_data'].map(column),
      ];
      return [
        sql(`CASE WHEN EXISTS (SELECT FROM extras_configcontext c WHERE c.is_active)
          THEN extras_config_context(${[literal(model.type), ...given].join(', ')})
          ELSE coalesce(${alias}.local_context_data, '{}') END::text`),
      ];
    },
    schema: { type: 'object', additionalProperties: true },
    excludable: true,
  });
}
