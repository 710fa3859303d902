import type { Database } from '@switchboard/database';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import type { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { createNestedObjectFragments } from '../../engine/read/object-json-fragments.js';
import { createStatementScope } from '../../engine/read/sql-statement-scope.js';
import { joinJsonFragmentsIntoSql, quoteSqlLiteral, type SqlText } from '../../engine/sql/json-text-sql.js';
import { createPreparedQuery } from '../../engine/sql/parameterized-statement.js';
import type { CablePathForApi } from './stored-cable-path-reader.js';

/** JSON texts of the objects on cable paths, by `<type>:<id>`. */
export type CablePathObjects = ReadonlyMap<string, string>;

/**
 * Names of the fields that a cable trace shows of cables and wireless links, by model. Fields with choices are shown as
 * plain values, without labels.
 */
const tracedLinkFields: Readonly<Record<string, readonly string[]>> = {
  'dcim.cable': ['type', 'status', 'label', 'color', 'length', 'length_unit', 'description'],
  'wireless.wirelesslink': ['ssid', 'status', 'description'],
};

/**
 * Reads the objects on cable paths in nested form, in one statement. Cables and wireless links have a different form in
 * a trace.
 *
 * @param base scheme and host of URLs
 */
export async function readCablePathObjects(
  database: Pick<Database, 'query'>,
  registry: ModelRegistry,
  {
    paths,
    base,
    isTrace,
  }: { readonly paths: readonly CablePathForApi[]; readonly base: string; readonly isTrace: boolean },
): Promise<CablePathObjects> {
  const ids = new Map<string, Set<number>>();
  for (const { type, id } of paths.flatMap(({ steps }) => steps.flat())) {
    ids.set(type, (ids.get(type) ?? new Set()).add(id));
  }
  const models = [...ids.keys()].toSorted().flatMap((type) => registry.find(type) ?? []);
  if (models.length === 0) return new Map();
  const parts = models.map((model, index) => {
    const shape =
      isTrace && tracedLinkFields[model.type] !== undefined
        ? createLinkJsonSql(model)
        : createNestedObjectSql(model, registry, index);
    return `SELECT ${quoteSqlLiteral(model.type)} AS type, t.id, ${shape} AS item FROM ${model.table} t WHERE t.id = ANY ($${index + 2}::bigint[])`;
  });
  const { rows } = await database.query<readonly [string, number, string]>(
    createPreparedQuery(`${parts.join(' UNION ALL ')}`, [
      base,
      ...models.map(({ type }) => [...(ids.get(type) ?? [])]),
    ]),
  );
  return new Map(rows.map(([type, id, item]) => [`${type}:${id}`, item]));
}

function createNestedObjectSql(model: ModelDefinition, registry: ModelRegistry, index: number): SqlText {
  return joinJsonFragmentsIntoSql(
    createNestedObjectFragments(model, 't', createStatementScope(registry, `p${index}_`)),
  );
}

function createLinkJsonSql({ path, type }: ModelDefinition): SqlText {
  const members = (tracedLinkFields[type] ?? []).map((name) => `'${name}', t.${name}`).join(', ');
  const url = (prefix: string): SqlText => `$1::text || '${prefix}/${path}/' || t.id || '/'`;
  return `json_build_object('id', t.id, 'url', ${url('/api')}, 'display_url', ${url('')}, ${members})::text`;
}
