import type { ModelDefinition } from '../declaration/define-model.js';
import type { SqlText } from '../sql/json-text-sql.js';
import type { SqlParameters } from '../sql/parameterized-statement.js';
import {
  createReferenceSortedIdsSql,
  type PageLimitAndOffsetSql,
  reverseOrderByReference,
} from './page-ids-by-target.js';
import {
  createJoinClause,
  type ListSortKey,
  type ListOrdering,
  createOrderClause,
  reverseSortKeys,
} from './list-ordering.js';
import { isUnlimitedPage, type RequestedListPage } from './list-paging.js';
import { objectRowAlias } from './object-json-sql.js';

/**
 * Common page sizes in rows. A common size is a constant in the SQL statement, so that PostgreSQL's plan takes the size
 * into account.
 */
const commonPageSizes = new Set([1, 10, 20, 25, 50, 100, 200, 250, 500, 1000]);

/**
 * Maximum page size, in rows, for which related objects are loaded in batches. The batches of a larger page could
 * exceed PostgreSQL's size limit for one value.
 */
export const maxRowsForBatchedLoading = 1000;

/** Conditions, sort order and range of the list page that a request reads. */
export interface RequestedPageRows {
  readonly model: ModelDefinition;
  readonly conditions: readonly SqlText[];
  /** SQL common table expressions that the conditions of the page use. */
  readonly tables: readonly SqlText[];
  /**
   * SQL array expression of the ids of all matching rows, in the model's default order. Null if the ids are not
   * computed in advance, and SQL conditions select the rows.
   */
  readonly wholeIds: SqlText | null;
  readonly order: ListOrdering;
  readonly page: RequestedListPage;
  readonly parameters: SqlParameters;
  /**
   * SQL expression of the number of all rows of the list, if the page is read from the list's end. Null if the page is
   * read from the list's start.
   */
  readonly fromEnd: SqlText | null;
  /**
   * True if a page of an unfiltered list is far from both ends of the list. Rows are then skipped by referenced object;
   * see {@link ListOrdering.targets}.
   */
  readonly skipsTargets: boolean;
  /** True if a page of an unfiltered list begins at a large offset; see `PagePosition.isFar`. */
  readonly isFar: boolean;
}

/** Group of rows of a list that are sorted separately from the other rows of the list. */
interface SeparatelySortedRowGroup {
  readonly from: SqlText;
  readonly keys: readonly ListSortKey[];
  /**
   * SQL of the tables that are joined to sort the list by a reference (see {@link ListOrdering.isByTarget}). If
   * `target` is set, `from` selects the rows that refer to one object.
   */
  readonly target?: SqlText;
  /** FROM clause of all rows of the group without the joins for sorting, so that an index can count the rows. */
  readonly whole?: SqlText;
  /** True if the rows are sorted by joined tables, which takes longer than to count the rows. */
  readonly isSortedByJoin?: true;
}

/** Returns the SQL query for the rows of a list page, in the order of the list, with all columns. */
export function createPageRowsSql(requested: RequestedPageRows): SqlText {
  const { model, conditions, order, page, fromEnd } = requested;
  const { limit, offset } = getPageLimitAndOffset(requested);
  if (
    page.limit > maxRowsForBatchedLoading ||
    (offset === null && order.leading === null && !canFindPageIdsFirst(requested))
  ) {
    const range = `${limit === null ? '' : ` LIMIT ${limit}`}${offset === null ? '' : ` OFFSET ${offset}`}`;
    return `SELECT ${objectRowAlias}.* FROM ${model.table} ${objectRowAlias}${createSingleSegmentClauses(order, conditions)}${range}`;
  }
  const skipped = fromEnd === null ? (offset ?? '0') : `greatest(0, ${fromEnd} - ${offset ?? '0'} - ${limit ?? '0'})`;
  if (fromEnd === null)
    return createIdOrderedRowsSql(model, createPageIdArraySql(requested, { limit: limit ?? 'ALL', offset: skipped }));
  // If the last page is not full, the first page counted from the end begins before it; the WHERE clause removes those
  // rows.
  const ids = createBackwardPageIdsSql(requested, { limit: limit ?? 'ALL', offset: skipped });
  return `${createSelectRowsByIdsSql(model, ids)} WHERE k.n <= ${fromEnd} - ${offset ?? '0'} ORDER BY k.n DESC`;
}

/** Returns an SQL array expression of the ids of a list page, in the order of the list. */
export function createOrderedPageIdsSql(requested: RequestedPageRows): SqlText {
  const { limit, offset } = getPageLimitAndOffset(requested);
  return createPageIdArraySql(requested, { limit: limit ?? 'ALL', offset: offset ?? '0' });
}

function createBackwardPageIdsSql(requested: RequestedPageRows, range: PageLimitAndOffsetSql): SqlText {
  const { model, order, skipsTargets } = requested;
  if (skipsTargets && order.targets !== null)
    return createReferenceSortedIdsSql(model.table, reverseOrderByReference(order.targets), range);
  const groups = createSeparatelySortedRowGroups(requested).map(reverseSortedRowGroup).toReversed();
  return createPageIdsSql(groups, range, requested.isFar);
}

/** Offset that is beyond the end of any array, but within the range of array subscripts. */
const offsetBeyondAnyArray = 2_000_000_000;

/**
 * Returns an SQL array expression of the ids of a list page. If the statement computes the ids of all matching rows,
 * the expression is a slice of the array of those ids.
 */
function createPageIdArraySql(requested: RequestedPageRows, range: PageLimitAndOffsetSql): SqlText {
  const { model, wholeIds, order, skipsTargets } = requested;
  if (skipsTargets && order.targets !== null) return createReferenceSortedIdsSql(model.table, order.targets, range);
  if (wholeIds === null || !order.isOwn || range.limit === 'ALL')
    return createPageIdsSql(createSeparatelySortedRowGroups(requested), range, requested.isFar);
  const first = `least(${range.offset}, ${offsetBeyondAnyArray})::int`;
  return `(${wholeIds})[${first} + 1 : ${first} + ${range.limit}::int]`;
}

/**
 * Returns true if SQL can find the ids of a page without reading the rows of the page. The ids then come from a
 * computed list of all ids, an index, or a computed sort order.
 */
function canFindPageIdsFirst({ wholeIds, conditions, order }: RequestedPageRows): boolean {
  return (
    (wholeIds !== null && order.isOwn) ||
    isListSortedByReference(order, conditions) ||
    createComputedRowsClause(order, conditions) !== null
  );
}

/**
 * Returns true for an unfiltered list that is sorted by a reference. For a page, it is then enough to read a limited
 * number of rows per referenced object: the page's end position.
 */
function isListSortedByReference({ isByTarget }: ListOrdering, conditions: readonly SqlText[]): boolean {
  return isByTarget && conditions.length === 0;
}

/**
 * Returns the FROM clause for an unfiltered list whose sort order is computed for all rows. The FROM clause does not
 * read the table of the model. Returns null for other lists.
 */
function createComputedRowsClause(
  { leading, joins, keys }: ListOrdering,
  conditions: readonly SqlText[],
): SqlText | null {
  const [join, ...others] = joins;
  const isWhole = leading === null && conditions.length === 0 && others.length === 0;
  // More than two keys would sort by something besides the computed number and the id.
  if (join?.computedId === undefined || !isWhole || keys.length > 2) return null;
  return `FROM ${join.table} CROSS JOIN LATERAL (SELECT ${join.computedId}) ${objectRowAlias} (id)`;
}

/**
 * Returns the SQL query that reads all columns of the rows with given ids, in the order of the ids. `ids` is an SQL
 * array expression.
 */
export function createIdOrderedRowsSql(model: ModelDefinition, ids: SqlText): SqlText {
  return `${createSelectRowsByIdsSql(model, ids)} ORDER BY k.n`;
}

function createSelectRowsByIdsSql({ table }: ModelDefinition, ids: SqlText): SqlText {
  return `SELECT ${objectRowAlias}.* FROM unnest(${ids}) WITH ORDINALITY AS k (id, n)
    JOIN ${table} ${objectRowAlias} ON ${objectRowAlias}.id = k.id`;
}

/** Returns an SQL WHERE clause that requires all given conditions. Returns an empty string if no conditions are given. */
export function createWhereClause(conditions: readonly SqlText[]): SqlText {
  return conditions.length === 0 ? '' : ` WHERE ${conditions.map((condition) => `(${condition})`).join(' AND ')}`;
}

function getPageLimitAndOffset({ page, parameters }: RequestedPageRows): {
  readonly limit: SqlText | null;
  readonly offset: SqlText | null;
} {
  const limit = commonPageSizes.has(page.limit) ? String(page.limit) : null;
  return {
    limit: isUnlimitedPage(page) ? null : (limit ?? parameters.add(page.limit, 'bigint')),
    offset: page.kind === 'offset' && page.offset > 0 ? parameters.add(page.offset, 'bigint') : null,
  };
}

/** Returns the SQL joins, the WHERE clause and the sort keys of a list in which all rows are sorted together. */
function createSingleSegmentClauses({ leading, joins, keys }: ListOrdering, conditions: readonly SqlText[]): SqlText {
  const leadingJoins = leading?.joins.map((join) => ({ ...join, isOuter: true })) ?? [];
  const allKeys = [...(leading?.keys ?? []), ...keys];
  return `${createJoinClause([...leadingJoins, ...joins])}${createWhereClause(conditions)} ${createOrderClause(allKeys)}`;
}

/**
 * Returns the groups of rows that are sorted separately in a list. If the list is sorted by a nullable reference, rows
 * without a reference are a separate group. An index then provides the other rows in the order of the objects that they
 * refer to.
 */
function createSeparatelySortedRowGroups({
  model,
  conditions,
  order,
}: RequestedPageRows): readonly SeparatelySortedRowGroup[] {
  const { leading, joins, keys } = order;
  const computed = createComputedRowsClause(order, conditions);
  if (computed !== null) return [{ from: computed, keys }];
  const from = `FROM ${model.table} ${objectRowAlias}`;
  const [join, ...further] = leading?.joins ?? joins;
  const byTarget =
    join !== undefined && isListSortedByReference(order, conditions)
      ? { target: `${join.table}${createJoinClause(further)}`, from: `${from} WHERE ${join.condition}` }
      : null;
  if (leading === null) {
    return [{ from: `${from}${createJoinClause(joins)}${createWhereClause(conditions)}`, ...byTarget, keys }];
  }
  const present = createWhereClause([...conditions, `${leading.column} IS NOT NULL`]);
  const absent = createWhereClause([...conditions, `${leading.column} IS NULL`]);
  const related: SeparatelySortedRowGroup = {
    from: `${from}${createJoinClause([...leading.joins, ...joins])}${present}`,
    ...byTarget,
    whole: `${from}${present}`,
    isSortedByJoin: true,
    keys: [...leading.keys, ...keys],
  };
  const unrelated: SeparatelySortedRowGroup = {
    from: `${from}${createJoinClause(joins)}${absent}`,
    whole: `${from}${absent}`,
    keys,
  };
  return leading.keys[0]?.descending === true ? [unrelated, related] : [related, unrelated];
}

function reverseSortedRowGroup(segment: SeparatelySortedRowGroup): SeparatelySortedRowGroup {
  return { ...segment, keys: reverseSortKeys(segment.keys) };
}

/**
 * Returns the SQL FROM clause for the rows of a separately sorted group, up to the end of the page. If the list is
 * sorted by a reference, the clause reads only the rows with the first ids for each referenced object.
 */
function createSortedRowGroupClause(
  { from, keys, target }: SeparatelySortedRowGroup,
  { limit, offset }: PageLimitAndOffsetSql,
): SqlText {
  if (target === undefined) return from;
  const first = `SELECT ${objectRowAlias}.id ${from} ${createOrderClause(keys.slice(-1))}${limit === 'ALL' ? '' : ` LIMIT ${limit} + ${offset}`}`;
  return `FROM ${target} CROSS JOIN LATERAL (${first}) ${objectRowAlias}`;
}

/**
 * Returns an SQL array expression of the ids of a page. The query sorts and skips ids instead of whole rows, if
 * possible by an index-only scan. For a far page, the rows of a first group that is sorted by joins are counted first. The
 * group is sorted only if the page begins in it.
 */
function createPageIdsSql(
  segments: readonly SeparatelySortedRowGroup[],
  { limit, offset }: PageLimitAndOffsetSql,
  isFar: boolean,
): SqlText {
  const [first, second] = segments;
  if (first === undefined) return "'{}'::bigint[]";
  const range = `LIMIT ${limit}${offset === '0' ? '' : ` OFFSET ${offset}`}`;
  const ids = `ARRAY(SELECT ${objectRowAlias}.id ${createSortedRowGroupClause(first, { limit, offset })} ${createOrderClause(first.keys)} ${range})`;
  if (second === undefined) return ids;
  const count = `SELECT count(*) AS n ${first.whole ?? first.from}`;
  const skippedAfterCount = `greatest(0, ${offset} - f.n)`;
  const skippedIfEmpty = `CASE WHEN cardinality(f.ids) > 0 THEN 0 ELSE greatest(0, ${offset} - (${count})) END`;
  const countsFirst = isFar && first.isSortedByJoin === true;
  const skipped = offset === '0' ? '0' : countsFirst ? skippedAfterCount : skippedIfEmpty;
  const others = createSortedRowGroupClause(second, { limit, offset: skipped });
  const further = `ARRAY(SELECT ${objectRowAlias}.id ${others} ${createOrderClause(second.keys)} LIMIT ${limit} - cardinality(f.ids) OFFSET ${skipped})`;
  const found = countsFirst
    ? `SELECT c.n, CASE WHEN ${offset} < c.n THEN ${ids} ELSE '{}' END AS ids FROM (${count} OFFSET 0) c`
    : `SELECT ${ids} AS ids`;
  return `(SELECT f.ids || ${further} FROM (${found} OFFSET 0) f)`;
}
