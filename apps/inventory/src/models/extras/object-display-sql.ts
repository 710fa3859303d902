import { createGenericDisplayNameSql } from '../../engine/field-types/generic-object.js';
import type { ModelRegistry } from '../../engine/declaration/model-registry.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';

/**
 * Returns a function that creates the SQL expression of an object's display name. The object is given by `object_type`
 * and `object_id`. If the object was deleted, the expression is the object's model and id.
 */
export function createObjectDisplaySqlBuilder(
  allowed: readonly string[],
): (alias: string, registry: ModelRegistry) => SqlText {
  return (alias, registry) => {
    const own = { alias, type: `${alias}.object_type`, id: `${alias}.object_id` };
    return `coalesce(${createGenericDisplayNameSql(registry, allowed, own)}, ${alias}.object_type || ' ' || ${alias}.object_id)`;
  };
}
