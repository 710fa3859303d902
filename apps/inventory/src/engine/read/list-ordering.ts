import { inventoryErrors } from '../../errors.js';
import type { AnyModelField, StatementSqlScope } from '../declaration/field.js';
import type { ModelDefinition, DefaultOrderTerm } from '../declaration/define-model.js';
import type { FilteredListStatement } from '../filter/filter-statement.js';
import type { RequestLimits } from '../request-limits.js';
import { quoteSqlIdentifier, type SqlText } from '../sql/json-text-sql.js';
import { objectRowAlias } from './object-json-sql.js';

/** One expression of an ORDER BY clause, with its direction. By default, nulls sort after all other values. */
export interface ListSortKey {
  readonly expression: SqlText;
  readonly descending: boolean;
  /** True to sort nulls first (`NULLS FIRST`), where PostgreSQL would sort nulls last for the sort direction. */
  readonly nullsFirst?: boolean;
}

/** SQL join in the query of a list that is sorted by columns of a related table. */
export interface SortKeyJoin {
  readonly table: SqlText;
  readonly condition: SqlText;
  /** True for a LEFT JOIN, which includes rows that refer to no row of the joined table. */
  readonly isOuter: boolean;
  /**
   * SQL expression of the id in a join whose rows are computed for the whole table. A list with such a join is read
   * with the limits of heavy work.
   */
  readonly computedId?: SqlText;
}

/**
 * The nullable reference that is the first sort criterion of a list. The joins and sort keys apply to rows in which the
 * reference is set.
 */
interface LeadingSortReference {
  readonly column: SqlText;
  readonly joins: readonly SortKeyJoin[];
  readonly keys: readonly ListSortKey[];
}

/** Sort order of a list by one reference. The list is read by this order when many of its rows refer to the same object. */
export interface ListOrderByReference {
  /** Name of the column that contains the reference by which the list is sorted. */
  readonly column: SqlText;
  readonly isNullable: boolean;
  readonly joins: readonly SortKeyJoin[];
  /**
   * Sort keys by which the referenced objects are sorted. The first key puts rows without a reference at the start or
   * the end of the list.
   */
  readonly keys: readonly ListSortKey[];
  /** Sort key for rows of the list that refer to the same object. */
  readonly id: ListSortKey;
}

/** Sort order of a list. The last key is always `id`. */
export interface ListOrdering {
  readonly leading: LeadingSortReference | null;
  readonly joins: readonly SortKeyJoin[];
  /** Sort keys of the list that are compared after the sort keys of `leading`. */
  readonly keys: readonly ListSortKey[];
  /** True if the sort order is the model's default order. */
  readonly isOwn: boolean;
  /** True if the list is sorted by a single reference, and an index covers the reference's column and the id. */
  readonly isByTarget: boolean;
  /**
   * Sort order by a single reference. Set if the list is sorted by a single reference and an index provides the number
   * of rows for each referenced object; otherwise null.
   */
  readonly targets: ListOrderByReference | null;
}

/**
 * Partly built sort order of a list: the SQL scope, the joins added so far, and whether further joins must be outer
 * joins.
 */
interface ListOrderBuildState {
  readonly scope: StatementSqlScope;
  readonly list: FilteredListStatement;
  readonly joins: SortKeyJoin[];
  readonly isOuter: boolean;
}

/**
 * Returns the sort order of a list, from the field names in the query parameter `ordering` or the model's default
 * order. `id` is always the last key, so that pages neither overlap nor leave gaps. If the only other key is a column
 * of the object, `id` has the same sort direction as that column. Repeated names, and names that the model cannot sort
 * by, are ignored (docs/contract/inventory.md 1.7).
 *
 * @throws ApplicationError VALIDATION_FAILED if there are more distinct names than allowed
 */
export function parseListOrdering(
  model: ModelDefinition,
  ordering: string | null,
  scope: StatementSqlScope,
  { orderingNames }: Pick<RequestLimits, 'orderingNames'>,
  list: FilteredListStatement,
): ListOrdering {
  const names = new Map<string, boolean>();
  for (const given of (ordering ?? '').split(',')) {
    const name = given.trim().replace(/^-/, '');
    if (name !== '' && !names.has(name)) names.set(name, given.trim().startsWith('-'));
  }
  if (names.size > orderingNames) {
    const message = `Give at most ${orderingNames} names (there are ${names.size}).`;
    throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: { ordering: [message] } } });
  }
  const asked = [...names].flatMap(([name, descending]) => {
    const found = findSortField(model, name);
    return found === null ? [] : [{ field: found, descending }];
  });
  const making: ListOrderBuildState = { scope, list, joins: [], isOuter: false };
  const terms: readonly DefaultOrderTerm[] = asked.length > 0 ? asked : model.order;
  const leading = findLeadingReference(model, terms[0], making);
  const others = terms
    .slice(leading === null ? 0 : 1)
    .flatMap((term) => createSortKeysOfTerm(model, term, objectRowAlias, making));
  // Objects of one import often have the same time. Without the same direction of the id, PostgreSQL would sort them all
  // instead of reading an index backwards.
  const isOneColumn = terms.length === 1 && leading === null && making.joins.length === 0;
  const descending = isOneColumn && others.length === 1 && others[0]?.descending === true;
  const id = { expression: `${objectRowAlias}.id`, descending };
  const [first] = terms;
  const isIndexed = first?.field !== undefined && model.fields[first.field]?.isIndexedWithId === true;
  const isByTarget = terms.length === 1 && isIndexed && (leading?.joins ?? making.joins).length > 0;
  const order = { leading, joins: making.joins, keys: [...others, id], isOwn: asked.length === 0, isByTarget };
  return { ...order, targets: terms.length === 1 ? findListOrderByReference(model, first, order) : null };
}

/**
 * Returns the sort order of a list by one reference, if many rows refer to the same object. Returns null for other
 * lists.
 */
function findListOrderByReference(
  model: ModelDefinition,
  term: DefaultOrderTerm | undefined,
  { leading, joins, keys }: Pick<ListOrdering, 'leading' | 'joins' | 'keys'>,
): ListOrderByReference | null {
  const name = term?.field ?? '';
  const field = model.fields[name];
  const column = field?.column(name) ?? null;
  const id = keys.at(-1);
  if (field === undefined || column === null || id === undefined) return null;
  if (field.isIndexedWithId !== true && field.hasManyRows !== true) return null;
  const reference = `${objectRowAlias}.${quoteSqlIdentifier(column.name)}`;
  if (leading === null) {
    const isSorted = joins.length > 0 && !field.traits.nullable;
    return isSorted ? { column: reference, isNullable: false, joins, keys: keys.slice(0, -1), id } : null;
  }
  const absent = { expression: `${reference} IS NULL`, descending: leading.keys[0]?.descending === true };
  const outer = leading.joins.map((join) => ({ ...join, isOuter: true }));
  return { column: reference, isNullable: true, joins: outer, keys: [absent, ...leading.keys], id };
}

/** Returns the sort keys that sort a list in the opposite order of the given sort keys. */
export function reverseSortKeys(keys: readonly ListSortKey[]): readonly ListSortKey[] {
  return keys.map(({ expression, descending, nullsFirst }) => ({
    expression,
    descending: !descending,
    ...(nullsFirst === undefined ? {} : { nullsFirst: !nullsFirst }),
  }));
}

export function createOrderClause(keys: readonly ListSortKey[]): SqlText {
  const written = keys.map(({ expression, descending, nullsFirst }) => {
    const nulls = nullsFirst === undefined ? '' : ` NULLS ${nullsFirst ? 'FIRST' : 'LAST'}`;
    return `${expression}${descending ? ' DESC' : ''}${nulls}`;
  });
  return `ORDER BY ${written.join(', ')}`;
}

/** Returns the JOIN clauses of a sorted list's query. */
export function createJoinClause(joins: readonly SortKeyJoin[]): SqlText {
  return joins
    .map(({ table, condition, isOuter }) => ` ${isOuter ? 'LEFT JOIN' : 'JOIN'} ${table} ON ${condition}`)
    .join('');
}

/**
 * Returns the name of the model field that the name `name` in the query parameter `ordering` stands for. Returns null
 * if the model has no such field.
 */
function findSortField(model: ModelDefinition, name: string): string | null {
  const found = Object.entries(model.fields).find(
    ([fieldName, field]) =>
      fieldName === name || field.column(fieldName)?.name === name || convertToInternalSortField(fieldName) === name,
  );
  return found?.[0] ?? null;
}

function findLeadingReference(
  model: ModelDefinition,
  term: DefaultOrderTerm | undefined,
  { scope, list }: ListOrderBuildState,
): LeadingSortReference | null {
  const name = term?.field;
  const field = name === undefined ? undefined : model.fields[name];
  if (term === undefined || name === undefined || field?.traits.nullable !== true) return null;
  const column = field.column(name);
  if (getReferencedModel(field, scope) === null || column === null || term.nullsFirst !== undefined) return null;
  const making: ListOrderBuildState = { scope, list, joins: [], isOuter: false };
  const present = { ...field, traits: { ...field.traits, nullable: false } };
  const keys = createSortKeysOfField(model, name, present, { alias: objectRowAlias, making });
  const directed = term.descending === true ? reverseSortKeys(keys) : keys;
  return { column: `${objectRowAlias}.${quoteSqlIdentifier(column.name)}`, joins: making.joins, keys: directed };
}

function getReferencedModel({ relation }: AnyModelField, scope: StatementSqlScope): ModelDefinition | null {
  return relation?.kind === 'ref' ? scope.registry.find(relation.targets[0] ?? '') : null;
}

function createSortKeysOfTerm(
  model: ModelDefinition,
  term: DefaultOrderTerm,
  alias: string,
  making: ListOrderBuildState,
): readonly ListSortKey[] {
  const { field: name, sql, descending = false, nullsFirst } = term;
  const field = name === undefined ? undefined : model.fields[name];
  const ofField =
    name === undefined || field === undefined ? [] : createSortKeysOfField(model, name, field, { alias, making });
  const keys = sql === undefined ? ofField : [{ expression: sql(alias), descending: false }];
  const directed = descending ? reverseSortKeys(keys) : keys;
  return nullsFirst === undefined ? directed : directed.map((key) => ({ ...key, nullsFirst }));
}

/**
 * Returns the sort keys for sorting by a field. For a reference, the query joins the referenced table. PostgreSQL can
 * then start from the index of that table, and find a page without sorting all rows. A reference with stored copies of
 * the target's sort values needs no join. For other fields, the sort keys are SQL expressions of the row.
 */
function createSortKeysOfField(
  model: ModelDefinition,
  name: string,
  field: AnyModelField,
  { alias, making }: { readonly alias: string; readonly making: ListOrderBuildState },
): readonly ListSortKey[] {
  const { orderedBy } = field;
  if (orderedBy !== undefined) {
    const computed = making.scope.alias();
    making.joins.push({
      table: `${orderedBy.source(making.list)} ${computed}`,
      condition: `${computed}.id = ${alias}.id`,
      isOuter: making.isOuter,
      computedId: `${computed}.id`,
    });
    return [{ expression: `${computed}.${quoteSqlIdentifier(orderedBy.column)}`, descending: false }];
  }
  if (field.storedOrder !== undefined) {
    return field.storedOrder(alias).map((expression) => ({ expression, descending: false }));
  }
  const column = field.column(name);
  const target = getReferencedModel(field, making.scope);
  if (target === null || column === null) {
    const expressions = field.order({ name, model, alias, scope: making.scope });
    return expressions.map((expression) => ({ expression, descending: false }));
  }
  const isOuter = making.isOuter || field.traits.nullable;
  const joined = making.scope.alias();
  const condition = `${joined}.id = ${alias}.${quoteSqlIdentifier(column.name)}`;
  making.joins.push({ table: `${target.table} ${joined}`, condition, isOuter });
  return target.order.flatMap((term) => createSortKeysOfTerm(target, term, joined, { ...making, isOuter }));
}

/** Returns a field's name in the parameter `ordering`, which is the field's internal name in the reference API. */
function convertToInternalSortField(fieldName: string): string {
  return fieldName === '_depth' ? 'level' : fieldName;
}
