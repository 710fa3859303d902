import type { ModelField, StatementSqlScope } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { createNestedSchema } from '../meta/openapi-object-schemas.js';
import type { JsonSchema } from '../meta/json-schema-of-values.js';
import { createTextByIdSql } from '../read/object-text-by-id-sql.js';
import { createNestedObjectFragments } from '../read/object-json-fragments.js';
import {
  joinJsonFragmentsIntoSql,
  quoteSqlLiteral,
  createComputedJsonFragment,
  type SqlText,
  createConstantJsonFragment,
} from '../sql/json-text-sql.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, addDefaultFieldProperties } from './field-traits.js';

/** Options of a reference to an object of one of several models. */
export interface GenericReferenceOptions {
  /** Name of the field of a generic reference that contains the model of the referenced object, as `<app>.<model>`. */
  readonly type: string;
  /** Name of the field that contains the id of the referenced object in a generic reference. */
  readonly id: string;
  readonly allowed: readonly string[];
  readonly onDelete?: 'protect' | 'cascade' | 'set_null';
  /**
   * Models among `allowed` whose objects cannot be deleted while a generic reference refers to them. The rule applies
   * regardless of `onDelete`.
   */
  readonly protects?: readonly string[];
  /** True if the generic reference remains stored when the object that it refers to is deleted. Default false. */
  readonly keepOnTargetDelete?: boolean;
  /** True if requests treat referenced objects that the user cannot view as nonexistent; see `FieldRelation`. */
  readonly viewedOnly?: boolean;
  /**
   * Key and message of the error for a generic reference that has a model but no id. Without this option, the error
   * reports that the id is missing.
   */
  readonly incomplete?: { readonly key: string; message(target: ModelDefinition): string };
  /**
   * Key and message of the error for a generic reference to an object that does not exist. Without this option, a
   * general error is reported for the field of the id.
   */
  readonly notFoundMessage?: GenericReferenceError;
}

/** Error of a generic reference: the error's key in the response, and its message. */
interface GenericReferenceError {
  readonly key: string;
  message(target: ModelDefinition, id: number): string;
}

/**
 * Creates a field that shows, nested, the object to which a generic reference (a pair of model and id) refers. The
 * field is null without a reference. Writes must set both model and id or neither, and the object must exist
 * (docs/contract/inventory.md 1.10).
 */
export function genericObjectField(options: GenericReferenceOptions): ModelField<null> {
  return {
    kind: 'genericObject',
    traits: addDefaultFieldProperties({ readOnly: true, nullable: true }, null),
    column: () => null,
    json: (place) => {
      const own = {
        type: createQualifiedColumnSql(place, options.type),
        id: createQualifiedColumnSql(place, options.id),
        alias: place.alias,
      };
      const shape = createGenericObjectJsonSql(place.scope, options.allowed, own);
      return shape === null
        ? [createConstantJsonFragment('null')]
        : [createComputedJsonFragment(`coalesce(${shape}, 'null')`)];
    },
    snapshot: () => null,
    input: () => {
      throw createInvalidInputProblem('This field cannot be written.');
    },
    schema: {
      read: (registry) => ({ anyOf: [...listNestedSchemasOfModels(registry, options.allowed), { type: 'null' }] }),
      write: () => ({}),
    },
    metadata: { type: 'field' },
    filters: () => [],
    order: () => [],
    ...(options.allowed.length > maxBatchedGenericTargetModels ? { variesByType: options.type } : {}),
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

/**
 * Returns the SQL expression of the display name of an object that is given by its model and id. The expression is null
 * if the object does not exist.
 */
export function createGenericDisplayNameSql(
  registry: ModelRegistry,
  allowed: readonly string[],
  own: { readonly alias: string; readonly type: SqlText; readonly id: SqlText },
): SqlText {
  const inner = `${own.alias}_o`;
  const cases = allowed
    .flatMap((type) => registry.find(type) ?? [])
    .map((target) => {
      const name = target.display(inner, registry);
      return `WHEN ${quoteSqlLiteral(target.type)} THEN (SELECT (${name})::text FROM ${target.table} ${inner} WHERE ${inner}.id = ${own.id})`;
    });
  return cases.length === 0 ? 'NULL::text' : `CASE ${own.type} ${cases.join(' ')} END`;
}

/**
 * Maximum number of models that a generic reference may allow if the referenced objects of a page are loaded in
 * batches. With more models, most of the batch queries would find nothing. Each row then loads its own referenced
 * object.
 */
const maxBatchedGenericTargetModels = 6;

/**
 * Returns the SQL expression of the JSON text of the nested object with a given model and id. Null if the object does
 * not exist, or if no target model is declared.
 *
 * @param own expressions of model and id; `alias` is set if they are columns of that table
 */
export function createGenericObjectJsonSql(
  scope: StatementSqlScope,
  allowed: readonly string[],
  own: { readonly type: SqlText; readonly id: SqlText; readonly alias?: string },
): SqlText | null {
  const known = allowed.filter((type) => canPageReferToModel(scope, own.alias, type));
  const targets = known.flatMap((type) => scope.registry.find(type) ?? []);
  if (targets.length === 0) return null;
  const asking = targets.length <= maxBatchedGenericTargetModels ? (own.alias ?? null) : null;
  const cases = targets.map((target) => {
    const isIts = `${own.type} = ${quoteSqlLiteral(target.type)}`;
    const id = asking === null ? own.id : `CASE WHEN ${isIts} THEN ${own.id} END`;
    const found = createTextByIdSql(scope, asking, {
      target,
      id,
      found: (alias) => joinJsonFragmentsIntoSql(createNestedObjectFragments(target, alias, scope)),
    });
    return `WHEN ${quoteSqlLiteral(target.type)} THEN ${found}`;
  });
  return `CASE ${own.type} ${cases.join(' ')} END`;
}

/** Returns false if it is known that no row of the page refers to an object of the given model; otherwise true. */
export function canPageReferToModel(
  { targetTypes }: StatementSqlScope,
  alias: string | undefined,
  type: string,
): boolean {
  return targetTypes === null || targetTypes.alias !== alias || targetTypes.types.has(type);
}

/** Returns the JSON schemas of the nested forms of the models that a generic reference allows. */
export function listNestedSchemasOfModels(registry: ModelRegistry, allowed: readonly string[]): readonly JsonSchema[] {
  return allowed.flatMap((type) => registry.find(type) ?? []).map(createNestedSchema);
}
