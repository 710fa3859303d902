import { type CustomFieldDefinitionSource, emptyCustomFieldDefinitionSource } from '../custom-fields/custom-field.js';
import type { StatementSqlScope, RelatedObjectsBatchLookup } from '../declaration/field.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import type { SqlText } from '../sql/json-text-sql.js';

/**
 * Creates the data that all fields of one SQL statement or subquery share, such as unused table aliases. The aliases
 * begin with `prefix`. `$1` in the SQL is the scheme and host of URLs.
 */
export function createStatementScope(
  registry: ModelRegistry,
  prefix: string,
  customFields: CustomFieldDefinitionSource = emptyCustomFieldDefinitionSource,
): StatementSqlScope {
  let count = 0;
  return {
    registry,
    customFields,
    base: '$1::text',
    alias: () => {
      count += 1;
      return `${prefix}${count}`;
    },
    batchLookup: null,
    targetTypes: null,
  };
}

/**
 * Returns the SQL scope for the fields of a page's rows, which loads related objects in batches. The statement builds
 * each related object once per page, as a member of a JSON object. Each row reads its related object from that JSON
 * object. Reading from the JSON object takes a tenth of the time of a subquery for each row. Joins are also slower,
 * because each join copies all columns of all rows.
 */
export function createPageScope(
  scope: StatementSqlScope,
  rows: { readonly alias: string; readonly table: SqlText },
): StatementSqlScope {
  const sources = new Map([[rows.alias, `FROM ${rows.table} ${rows.alias}`]]);
  const keysOf: RelatedObjectsBatchLookup['keys'] = (alias, key) => {
    const source = sources.get(alias);
    return source === undefined ? null : `ARRAY(SELECT ${key} ${source})`;
  };
  const batchLookup: RelatedObjectsBatchLookup = {
    load: (alias, key, query) => {
      const keys = keysOf(alias, key);
      if (keys === null) return null;
      const found = scope.alias();
      return `((SELECT jsonb_object_agg(${found}.id, ${found}.value) FROM (${query(keys)}) ${found}) ->> (${key})::text)`;
    },
    keys: keysOf,
    nest: (alias, from) => sources.set(alias, from),
  };
  return { ...scope, batchLookup };
}
