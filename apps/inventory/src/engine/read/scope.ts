import { type CustomFieldSource, noCustomFields } from '../custom-fields/custom-field.js';
import type { SqlScope, BatchLookup } from '../declaration/field.js';
import type { Registry } from '../declaration/registry.js';
import type { Sql } from '../sql/pieces.js';

/** Creates a scope for one part of a statement, with prefixed aliases. `$1` is the base of URLs. */
export function statementScope(
  registry: Registry,
  prefix: string,
  customFields: CustomFieldSource = noCustomFields,
): SqlScope {
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
  };
}

/**
 * The scope for rows of a statement in a common table expression. What they lead to is put together once for the page,
 * each object once however many rows share it, and looked up for each row: measured, a look-up takes a tenth of a
 * subselect. Joins do not: each passes on all columns of all rows.
 */
export function pageScope(scope: SqlScope, rows: { readonly alias: string; readonly table: Sql }): SqlScope {
  const sources = new Map([[rows.alias, `FROM ${rows.table} ${rows.alias}`]]);
  const batchLookup: BatchLookup = {
    load: (alias, key, query) => {
      const source = sources.get(alias);
      if (source === undefined) return null;
      const found = scope.alias();
      const keys = `ARRAY(SELECT ${key} ${source})`;
      return `((SELECT jsonb_object_agg(${found}.id, ${found}.value) FROM (${query(keys)}) ${found}) ->> (${key})::text)`;
    },
    nest: (alias, from) => sources.set(alias, from),
  };
  return { ...scope, batchLookup };
}
