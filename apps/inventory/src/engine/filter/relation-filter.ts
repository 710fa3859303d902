import type { ModelDefinition } from '../declaration/define-model.js';
import { parseHardwareAddress } from '../field-types/hardware-address.js';
import { parseIpNetwork } from '../field-types/ip-network.js';
import type { SqlText } from '../sql/json-text-sql.js';
import {
  negateSqlCondition,
  type ListFilter,
  InvalidFilterValueError,
  type RequestedFilterValues,
  createInvalidChoiceMessage,
} from './filter-problem.js';

/**
 * Returns two filters by a related object: `<name>_id` compares the object's id, and `<name>` compares another field of
 * the object. The filter value `null` matches rows that refer to no object.
 */
export function relatedObjectFilters(
  name: string,
  target: ModelDefinition,
  by: string | null,
  viewedOnly = false,
): readonly ListFilter[] {
  const filters = createFiltersByRelatedObject(name, target, by, false);
  return viewedOnly ? filters.map((filter) => limitToViewableObjects(filter, name, target, by)) : filters;
}

/** Returns a copy of a filter that treats related objects that the user may not view as nonexistent. */
function limitToViewableObjects(
  filter: ListFilter,
  name: string,
  target: ModelDefinition,
  by: string | null,
): ListFilter {
  return {
    ...filter,
    compile: (request) => {
      const table = `(SELECT v.* FROM ${target.table} v WHERE ${request.mayView(target, 'v')}) viewed`;
      const found = createFiltersByRelatedObject(name, { ...target, table }, by, false).find(
        (one) => one.name === filter.name,
      );
      return found?.compile(request) ?? null;
    },
  };
}

/**
 * Returns filters like {@link relatedObjectFilters} for objects that form a tree. A filter by a tree node also matches rows
 * that refer to descendants of the node.
 */
export function treeNodeFilters(name: string, target: ModelDefinition, by: string | null): readonly ListFilter[] {
  return createFiltersByRelatedObject(name, target, by, true);
}

function createFiltersByRelatedObject(
  name: string,
  target: ModelDefinition,
  by: string | null,
  below: boolean,
): readonly ListFilter[] {
  const own = (alias: string): SqlText => `${alias}."${name}_id"`;
  const byId = relatedObjectIdFilter(`${name}_id`, own, target, 'id', below);
  return by === null ? [byId] : [byId, relatedObjectIdFilter(name, own, target, by, below)];
}

/**
 * Model of the objects that filter values name, and the field by which the values name an object. `fields` is required
 * if that field is not stored as text.
 */
export type RelatedObjectFilterTarget = Pick<ModelDefinition, 'table'> &
  Partial<Pick<ModelDefinition, 'fields' | 'constraints'>>;

/** A relation from the filtered rows to objects of another model. */
export interface RelatedObjectFilterRelation {
  readonly target: RelatedObjectFilterTarget;
  /** Name of the related model's field that the filter compares with the filter values; `id` to compare ids. */
  readonly by: string;
  /** True if a filter by a tree node includes the node's descendants. */
  readonly below: boolean;
  /**
   * Returns the SQL condition that a row refers to an object whose id is in the SQL array `ids`. PostgreSQL must be
   * able to use an index for the condition.
   */
  matches(alias: string, ids: SqlText): SqlText;
  /** Returns the SQL condition that a row refers to no object through the relation. */
  isNull(alias: string): SqlText;
}

/**
 * Returns a filter for rows that refer to one of the objects that the filter values name. The filter value `null`
 * matches rows that refer to no object.
 */
export function relatedObjectFilterByCondition(name: string, relation: RelatedObjectFilterRelation): ListFilter {
  return {
    name,
    lookups: ['n'],
    multiple: true,
    schema: relation.by === 'id' ? { type: 'integer' } : { type: 'string' },
    compile: (request) => {
      const { target, by, below } = relation;
      const found = relation.matches(request.alias, createFilterTargetIdsSql(request, target, by, below));
      const any = request.values.includes('null') ? `(${found} OR ${relation.isNull(request.alias)})` : found;
      return request.lookup === 'n' ? negateSqlCondition(any) : any;
    },
  };
}

/** Returns a filter for rows in which the SQL expression `own` is the id of an object that the filter's values name. */
export function relatedObjectIdFilter(
  name: string,
  own: (alias: string) => SqlText,
  target: RelatedObjectFilterTarget,
  by: string,
  below: boolean,
): ListFilter {
  const matches = (alias: string, ids: SqlText): SqlText => `${own(alias)} = ANY (${ids})`;
  return relatedObjectFilterByCondition(name, {
    target,
    by,
    below,
    matches,
    isNull: (alias) => `${own(alias)} IS NULL`,
  });
}

/**
 * Returns an SQL array expression of the ids of the objects that the filter's values name. Adds a check to the
 * statement that each value names an existing object.
 */
export function createFilterTargetIdsSql(
  request: RequestedFilterValues,
  target: RelatedObjectFilterTarget,
  by: string,
  below: boolean,
): SqlText {
  const { type, read } = createFieldComparison(target, by);
  const requested = request.values.filter((value) => value !== 'null').map(read);
  const exists = (value: SqlText): SqlText => `EXISTS (SELECT FROM ${target.table} WHERE "${by}" = ${value})`;
  request.mustExist([...new Set(requested)], type, exists, createInvalidChoiceMessage);
  const [only = ''] = requested;
  if (!below && requested.length === 1 && isUniqueInModel(target, by)) {
    // For an array of unknown length PostgreSQL assumes ten elements, and may then read the whole list in its order to
    // fill a page.
    return `ARRAY[(SELECT max(id) FROM ${target.table} WHERE "${by}" = ${request.parameters.add(only, type)})]`;
  }
  const all = request.parameters.add(requested, `${type}[]`);
  if (by === 'id' && !below) return all;
  if (!below) return `ARRAY(SELECT id FROM ${target.table} WHERE "${by}" = ANY (${all}))`;
  return `ARRAY(SELECT node.id FROM ${target.table} node WHERE node._path && ARRAY(SELECT id FROM ${target.table} WHERE "${by}" = ANY (${all})))`;
}

function isUniqueInModel({ constraints = [] }: RelatedObjectFilterTarget, by: string): boolean {
  return constraints.some(({ fields, whereNull }) => whereNull === undefined && fields?.join() === by);
}

/**
 * Returns the SQL type in which a filter compares its values with a field, and the function that validates one filter
 * value.
 */
function createFieldComparison(
  target: RelatedObjectFilterTarget,
  by: string,
): { readonly type: string; read(value: string): string } {
  if (by === 'id') return { type: 'bigint', read: parseObjectIdFilterValue };
  const stored = target.fields?.[by]?.column(by)?.type ?? 'text';
  const isReadable = validatorsBySqlType[stored];
  const read = (value: string): string => {
    if (value.includes('\0') || isReadable?.(value) === false)
      throw new InvalidFilterValueError(createInvalidChoiceMessage(value));
    return value;
  };
  return { type: isReadable === undefined ? 'text' : stored, read };
}

/**
 * Functions that validate filter values, by SQL type. Includes only SQL types that do not accept every text. A filter
 * value that is invalid for the type names no object.
 */
const validatorsBySqlType: Readonly<Record<string, (value: string) => boolean>> = {
  bigint: (value) => /^\s*\d{1,18}\s*$/.test(value),
  inet: (value) => parseIpNetwork(value) !== null,
  cidr: (value) => parseIpNetwork(value)?.hostBits === false,
  macaddr: (value) => parseHardwareAddress(value, 6) !== null,
};

function parseObjectIdFilterValue(value: string): string {
  if (!/^\s*\d+\s*$/.test(value)) throw new InvalidFilterValueError(`“${value}” is not a valid value.`);
  if (value.trim().length > 18) throw new InvalidFilterValueError(createInvalidChoiceMessage(value));
  return value.trim();
}
