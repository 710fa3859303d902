import type { ModelField } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { quoteSqlLiteral, type SqlText } from '../sql/json-text-sql.js';

/**
 * A path from rows of one model to rows of another model. The path is a text of reference names joined by dots
 * (`device.role`), or a list. The list consists of reference names and of steps made by
 * {@link resolveStepToReferringObjects}, {@link resolveStepToGenericTarget} and {@link resolveStepThroughIdColumn}.
 */
export type ReferencePath = string | readonly (string | ReferencePathStep)[];

/** One step of a {@link ReferencePath}, such as following a reference. */
export interface ReferencePathStep {
  /**
   * Resolves one step of a reference path that starts at rows of `model`. Returns null if the model at the end of the
   * step is not declared.
   */
  from(model: ModelDefinition, registry: ModelRegistry): ResolvedReferencePathStep | null;
}

/**
 * A resolved step of a reference path, or sequence of steps, from rows of one model to rows of a target model.
 * PostgreSQL can use an index for each step.
 */
export interface ResolvedReferencePathStep {
  readonly target: ModelDefinition;
  /**
   * Returns the SQL condition that the reference path leads from the row `alias` to a row of the target model that
   * meets `condition`.
   */
  reach(alias: string, condition: (row: string) => SqlText): SqlText;
  /**
   * Returns the SQL condition that the id of the target row passes a test. `suffix` is the SQL text of the test after
   * the id, such as `IS NOT NULL`.
   */
  reachId(alias: string, suffix: SqlText): SqlText;
}

/**
 * Resolves a path of references. Returns null if a model on the path is not declared.
 *
 * @throws RangeError if the path names a field that is not a reference
 */
export function resolveReferencePath(
  model: ModelDefinition,
  registry: ModelRegistry,
  path: ReferencePath,
): ResolvedReferencePathStep | null {
  const steps = (typeof path === 'string' ? [path] : path).flatMap((step): readonly ReferencePathStep[] =>
    typeof step === 'string' ? step.split('.').map(resolveStepThroughField) : [step],
  );
  let way: ResolvedReferencePathStep | null = null;
  for (const step of steps) {
    const hop: ResolvedReferencePathStep | null = step.from(way?.target ?? model, registry);
    if (hop === null) return null;
    way = way === null ? hop : joinPathSteps(way, hop);
  }
  return way;
}

function joinPathSteps(first: ResolvedReferencePathStep, second: ResolvedReferencePathStep): ResolvedReferencePathStep {
  return {
    target: second.target,
    reach: (alias, condition) => first.reach(alias, (row) => second.reach(row, condition)),
    reachId: (alias, suffix) => first.reach(alias, (row) => second.reachId(row, suffix)),
  };
}

/**
 * Returns the step of a reference path from the current row to the objects of a model that refer to that row. The
 * referring field is a reference, a many-to-many relation or a generic reference.
 */
export function resolveStepToReferringObjects(type: string, fieldName: string): ReferencePathStep {
  return {
    from: (model, registry) => {
      const target = registry.find(type);
      if (target === null) return null;
      const field = findReferenceField(target, fieldName);
      const { join, relation } = field;
      if (join !== undefined) return resolveStepThroughJoinTable(target, join.table, join.other, join.own);
      if (relation.typeField !== undefined && relation.idField !== undefined) {
        return resolveStepThroughTargetColumn(
          target,
          relation.idField,
          `"${relation.typeField}" = ${quoteSqlLiteral(model.type)}`,
        );
      }
      return resolveStepThroughTargetColumn(target, getFieldColumn(field, fieldName), null);
    },
  };
}

/**
 * Returns the step of a reference path to the object of a generic reference, if that object has the given model. The
 * SQL condition compares the model first, because the model is the first column of the index.
 */
export function resolveStepToGenericTarget(fieldName: string, type: string): ReferencePathStep {
  return {
    from: (model, registry) => {
      const target = registry.find(type);
      const { relation } = findReferenceField(model, fieldName);
      const { typeField, idField } = relation;
      if (typeField === undefined || idField === undefined) throw createUnknownFieldError(model, fieldName);
      if (target === null) return null;
      const isOfType = (alias: string): SqlText => `${alias}."${typeField}" = ${quoteSqlLiteral(type)}`;
      const hop = resolveStepThroughOwnColumn(target, idField);
      return {
        target,
        reach: (alias, condition) => `(${isOfType(alias)} AND ${hop.reach(alias, condition)})`,
        reachId: (alias, suffix) => `(${isOfType(alias)} AND ${hop.reachId(alias, suffix)})`,
      };
    },
  };
}

/**
 * Returns the step of a reference path to an object whose id is stored in a column that is not a field of the model.
 */
export function resolveStepThroughIdColumn(column: string, type: string): ReferencePathStep {
  return {
    from: (_model, registry) => {
      const target = registry.find(type);
      return target === null ? null : resolveStepThroughOwnColumn(target, column);
    },
  };
}

/**
 * Returns the step of a reference path from the current row to the objects of its reference or many-to-many relation.
 */
function resolveStepThroughField(fieldName: string): ReferencePathStep {
  return {
    from: (model, registry) => {
      const field = findReferenceField(model, fieldName);
      const target = registry.find(field.relation.targets[0] ?? '');
      if (target === null) return null;
      const { join } = field;
      if (join !== undefined) return resolveStepThroughJoinTable(target, join.table, join.own, join.other);
      if (field.relation.kind !== 'ref') throw createUnknownFieldError(model, fieldName);
      return resolveStepThroughOwnColumn(target, getFieldColumn(field, fieldName));
    },
  };
}

/** Returns the step of a reference path through a column of the current row that contains the id of the target row. */
function resolveStepThroughOwnColumn(target: ModelDefinition, column: string): ResolvedReferencePathStep {
  return {
    target,
    reach: (alias, condition) => {
      const row = createSubqueryAlias(alias);
      return `${alias}."${column}" IN (SELECT ${row}.id FROM ${target.table} ${row} WHERE ${condition(row)})`;
    },
    reachId: (alias, suffix) => `${alias}."${column}" ${suffix}`,
  };
}

/** Returns the step of a reference path through a column of the target row that contains the id of the current row. */
function resolveStepThroughTargetColumn(
  target: ModelDefinition,
  column: string,
  more: SqlText | null,
): ResolvedReferencePathStep {
  const reach = (alias: string, condition: (row: string) => SqlText): SqlText => {
    const row = createSubqueryAlias(alias);
    const also = more === null ? '' : `${row}.${more} AND `;
    return `${alias}.id IN (SELECT ${row}."${column}" FROM ${target.table} ${row} WHERE ${also}${condition(row)})`;
  };
  return { target, reach, reachId: (alias, suffix) => reach(alias, (row) => `${row}.id ${suffix}`) };
}

/** Returns the step of a reference path through a join table, whose rows are pairs of ids. */
function resolveStepThroughJoinTable(
  target: ModelDefinition,
  table: string,
  here: string,
  there: string,
): ResolvedReferencePathStep {
  const reachId = (alias: string, suffix: SqlText): SqlText => {
    const pair = createSubqueryAlias(alias);
    return `${alias}.id IN (SELECT ${pair}.${here} FROM ${table} ${pair} WHERE ${pair}.${there} ${suffix})`;
  };
  return {
    target,
    reach: (alias, condition) => {
      const row = `${createSubqueryAlias(alias)}_`;
      return reachId(alias, `IN (SELECT ${row}.id FROM ${target.table} ${row} WHERE ${condition(row)})`);
    },
    reachId,
  };
}

/** Returns an SQL alias for the table of a subquery. The alias differs from the aliases of all enclosing queries. */
function createSubqueryAlias(alias: string): string {
  return `${alias}_`;
}

type ReferenceField = ModelField & { readonly relation: NonNullable<ModelField['relation']> };

function findReferenceField(model: ModelDefinition, name: string): ReferenceField {
  const field = model.fields[name];
  if (field?.relation === undefined || field.relation.kind === 'tags') throw createUnknownFieldError(model, name);
  return { ...field, relation: field.relation };
}

function getFieldColumn(field: ModelField, name: string): string {
  return field.column(name)?.name ?? name;
}

function createUnknownFieldError(model: ModelDefinition, name: string): RangeError {
  return new RangeError(`${model.type} has no reference ${name}, which a filter uses`);
}
