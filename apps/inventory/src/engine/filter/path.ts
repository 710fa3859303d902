import type { Field } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import { literal, type Sql } from '../sql/pieces.js';

/**
 * A path from rows of a model to rows of another: names of references joined by dots (`device.role`), or a list of such
 * names and of the steps that {@link reverseOf}, {@link onlyOf} and {@link columnTo} make.
 */
export type Path = string | readonly (string | Step)[];

/** One step of a {@link Path}. */
export interface Step {
  /** The step from rows of this model; null while the model that it leads to is not declared. */
  from(model: ModelDefinition, registry: Registry): Hop | null;
}

/** A way from rows of one model to rows of another. Every condition can use the indexes on its way. */
export interface Hop {
  readonly target: ModelDefinition;
  /** Rows from which a row of the target is reached that meets the condition. */
  reach(alias: string, condition: (row: string) => Sql): Sql;
  /** As above for a condition on the id alone, given as a suffix such as `IS NOT NULL`. */
  reachId(alias: string, suffix: Sql): Sql;
}

/**
 * The way along a path; null while a model on it is not declared.
 *
 * @throws RangeError when the path names a field that is no reference
 */
export function resolvePath(model: ModelDefinition, registry: Registry, path: Path): Hop | null {
  const steps = (typeof path === 'string' ? [path] : path).flatMap((step): readonly Step[] =>
    typeof step === 'string' ? step.split('.').map(forward) : [step],
  );
  let way: Hop | null = null;
  for (const step of steps) {
    const hop: Hop | null = step.from(way?.target ?? model, registry);
    if (hop === null) return null;
    way = way === null ? hop : joined(way, hop);
  }
  return way;
}

function joined(first: Hop, second: Hop): Hop {
  return {
    target: second.target,
    reach: (alias, condition) => first.reach(alias, (row) => second.reach(row, condition)),
    reachId: (alias, suffix) => first.reach(alias, (row) => second.reachId(row, suffix)),
  };
}

/**
 * Path to objects of a model whose field (a reference, a many-to-many relation, or a generic reference) points here.
 */
export function reverseOf(type: string, fieldName: string): Step {
  return {
    from: (model, registry) => {
      const target = registry.find(type);
      if (target === null) return null;
      const field = referenceOf(target, fieldName);
      const { join, relation } = field;
      if (join !== undefined) return throughPairs(target, join.table, join.other, join.own);
      if (relation.typeField !== undefined && relation.idField !== undefined) {
        return pointingHere(target, relation.idField, `"${relation.typeField}" = ${literal(model.type)}`);
      }
      return pointingHere(target, columnNamed(field, fieldName), null);
    },
  };
}

/** Path to the object of a generic reference if it is of this model; its index begins with the type. */
export function onlyOf(fieldName: string, type: string): Step {
  return {
    from: (model, registry) => {
      const target = registry.find(type);
      const { relation } = referenceOf(model, fieldName);
      const { typeField, idField } = relation;
      if (typeField === undefined || idField === undefined) throw notThere(model, fieldName);
      if (target === null) return null;
      const isOfType = (alias: string): Sql => `${alias}."${typeField}" = ${literal(type)}`;
      const hop = leadingTo(target, idField);
      return {
        target,
        reach: (alias, condition) => `(${isOfType(alias)} AND ${hop.reach(alias, condition)})`,
        reachId: (alias, suffix) => `(${isOfType(alias)} AND ${hop.reachId(alias, suffix)})`,
      };
    },
  };
}

/** A related object whose id is in a column without a field. */
export function columnTo(column: string, type: string): Step {
  return {
    from: (_model, registry) => {
      const target = registry.find(type);
      return target === null ? null : leadingTo(target, column);
    },
  };
}

/** The objects that a reference or a relation to many of the model leads to. */
function forward(fieldName: string): Step {
  return {
    from: (model, registry) => {
      const field = referenceOf(model, fieldName);
      const target = registry.find(field.relation.targets[0] ?? '');
      if (target === null) return null;
      const { join } = field;
      if (join !== undefined) return throughPairs(target, join.table, join.own, join.other);
      if (field.relation.kind !== 'ref') throw notThere(model, fieldName);
      return leadingTo(target, columnNamed(field, fieldName));
    },
  };
}

/** Path step by a column of this table with the id of the target. */
function leadingTo(target: ModelDefinition, column: string): Hop {
  return {
    target,
    reach: (alias, condition) => {
      const row = next(alias);
      return `${alias}."${column}" IN (SELECT ${row}.id FROM ${target.table} ${row} WHERE ${condition(row)})`;
    },
    reachId: (alias, suffix) => `${alias}."${column}" ${suffix}`,
  };
}

/** Path step by a column of the target with the id of this table. */
function pointingHere(target: ModelDefinition, column: string, more: Sql | null): Hop {
  const reach = (alias: string, condition: (row: string) => Sql): Sql => {
    const row = next(alias);
    const also = more === null ? '' : `${row}.${more} AND `;
    return `${alias}.id IN (SELECT ${row}."${column}" FROM ${target.table} ${row} WHERE ${also}${condition(row)})`;
  };
  return { target, reach, reachId: (alias, suffix) => reach(alias, (row) => `${row}.id ${suffix}`) };
}

/** Path step by a join table with both ids. */
function throughPairs(target: ModelDefinition, table: string, here: string, there: string): Hop {
  const reachId = (alias: string, suffix: Sql): Sql => {
    const pair = next(alias);
    return `${alias}.id IN (SELECT ${pair}.${here} FROM ${table} ${pair} WHERE ${pair}.${there} ${suffix})`;
  };
  return {
    target,
    reach: (alias, condition) => {
      const row = `${next(alias)}_`;
      return reachId(alias, `IN (SELECT ${row}.id FROM ${target.table} ${row} WHERE ${condition(row)})`);
    },
    reachId,
  };
}

/** An alias that no table around this one has. */
function next(alias: string): string {
  return `${alias}_`;
}

type Reference = Field & { readonly relation: NonNullable<Field['relation']> };

function referenceOf(model: ModelDefinition, name: string): Reference {
  const field = model.fields[name];
  if (field?.relation === undefined || field.relation.kind === 'tags') throw notThere(model, name);
  return { ...field, relation: field.relation };
}

function columnNamed(field: Field, name: string): string {
  return field.column(name)?.name ?? name;
}

function notThere(model: ModelDefinition, name: string): RangeError {
  return new RangeError(`${model.type} has no such reference as ${name}, along which a filter goes`);
}
