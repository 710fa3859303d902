import type { Field, SqlScope } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import { nestedSchema } from '../meta/component-schemas.js';
import type { JsonSchema } from '../meta/json-schema.js';
import { byId } from '../read/by-id.js';
import { nestedObject } from '../read/representation.js';
import { assemble, literal, sql, type Sql, text } from '../sql/pieces.js';
import { refuse } from '../write/input-problem.js';
import { columnOf, traits } from './traits.js';

/** A reference to an object of one of several models. */
export interface GenericOptions {
  /** Field with `<app>.<model>`. */
  readonly type: string;
  /** Field with the id. */
  readonly id: string;
  readonly allowed: readonly string[];
  readonly onDelete?: 'protect' | 'cascade' | 'set_null';
  /** Types of `allowed` whose objects cannot be deleted while referenced, regardless of `onDelete`. */
  readonly protects?: readonly string[];
  /** True if the reference survives the deletion of its target. Default false. */
  readonly keepOnTargetDelete?: boolean;
  /** See `Relation`. */
  readonly viewedOnly?: boolean;
  /** Error for a type without an id, with its key; without it the id is reported as missing. */
  readonly incomplete?: { readonly key: string; message(target: ModelDefinition): string };
  /** Error for an object that does not exist, with its key; without it the usual error is reported at the id. */
  readonly notFoundMessage?: GenericMessage;
}

/** See {@link GenericOptions}. */
interface GenericMessage {
  readonly key: string;
  message(target: ModelDefinition, id: number): string;
}

/**
 * The object that a pair of type and id points to, nested; null when there is none. Both parts are checked before a
 * write: both or neither, and the object must exist (docs/contract/inventory.md 1.10).
 */
export function genericObject(options: GenericOptions): Field<null> {
  return {
    kind: 'genericObject',
    traits: traits({ readOnly: true, nullable: true }, null),
    column: () => null,
    json: (place) => {
      const own = { type: columnOf(place, options.type), id: columnOf(place, options.id), alias: place.alias };
      const shape = genericShape(place.scope, options.allowed, own);
      return shape === null ? [text('null')] : [sql(`coalesce(${shape}, 'null')`)];
    },
    snapshot: () => null,
    input: () => {
      throw refuse('This field cannot be written.');
    },
    schema: {
      read: (registry) => ({ anyOf: [...genericSchemas(registry, options.allowed), { type: 'null' }] }),
      write: () => ({}),
    },
    metadata: { type: 'field' },
    filters: () => [],
    order: () => [],
    relation: {
      kind: 'generic',
      targets: options.allowed,
      onDelete: options.onDelete ?? 'cascade',
      typeField: options.type,
      idField: options.id,
      ...(options.keepOnTargetDelete === true ? { keepOnTargetDelete: true } : {}),
      ...(options.viewedOnly === true ? { viewedOnly: true } : {}),
      ...(options.protects === undefined ? {} : { protects: options.protects }),
      ...(options.incomplete === undefined ? {} : { incomplete: options.incomplete }),
      ...(options.notFoundMessage === undefined ? {} : { notFoundMessage: options.notFoundMessage }),
    },
  };
}

/** Returns the display name of the object that expressions of type and id name; null where there is none. */
export function genericDisplay(
  registry: Registry,
  allowed: readonly string[],
  own: { readonly alias: string; readonly type: Sql; readonly id: Sql },
): Sql {
  const inner = `${own.alias}_o`;
  const cases = allowed
    .flatMap((type) => registry.find(type) ?? [])
    .map((target) => {
      const name = target.display(inner, registry);
      return `WHEN ${literal(target.type)} THEN (SELECT (${name})::text FROM ${target.table} ${inner} WHERE ${inner}.id = ${own.id})`;
    });
  return cases.length === 0 ? 'NULL::text' : `CASE ${own.type} ${cases.join(' ')} END`;
}

/** References to more models than these are followed row by row: a query for each would mostly find nothing. */
const mostTogether = 6;

/**
 * The JSON text of the object that expressions of type and id name, nested; null where there is none.
 *
 * @param own the expressions, and the alias of the rows whose columns they are, if they are columns of rows
 */
export function genericShape(
  scope: SqlScope,
  allowed: readonly string[],
  own: { readonly type: Sql; readonly id: Sql; readonly alias?: string },
): Sql | null {
  const targets = allowed.flatMap((type) => scope.registry.find(type) ?? []);
  if (targets.length === 0) return null;
  const asking = targets.length <= mostTogether ? (own.alias ?? null) : null;
  const cases = targets.map((target) => {
    const isIts = `${own.type} = ${literal(target.type)}`;
    const id = asking === null ? own.id : `CASE WHEN ${isIts} THEN ${own.id} END`;
    const found = byId(scope, asking, { target, id, found: (alias) => assemble(nestedObject(target, alias, scope)) });
    return `WHEN ${literal(target.type)} THEN ${found}`;
  });
  return `CASE ${own.type} ${cases.join(' ')} END`;
}

/** The schemas that such an object may have. */
export function genericSchemas(registry: Registry, allowed: readonly string[]): readonly JsonSchema[] {
  return allowed.flatMap((type) => registry.find(type) ?? []).map(nestedSchema);
}
