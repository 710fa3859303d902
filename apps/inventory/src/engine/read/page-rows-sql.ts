import type { ModelDefinition } from '../declaration/define-model.js';
import type { SqlText } from '../sql/json-text-sql.js';
import type { SqlParameters } from '../sql/parameterized-statement.js';
import { pageIdsByTargetSql, type PageRange, reverseTargetOrder } from './page-ids-by-target.js';
import {
  createJoinClause,
  type SortKey,
  type ListOrdering,
  createOrderClause,
  reverseSortKeys,
} from './list-ordering.js';
import { isUnlimitedPage, type PageRequest } from './list-paging.js';
import { objectRowAlias } from './object-json-sql.js';

/** Common page sizes. They are constants in the SQL statement, so that PostgreSQL's plan takes them into account. */
const preparedPageSizes = new Set([1, 10, 20, 25, 50, 100, 200, 250, 500, 1000]);

/**
 * Maximum page size, in rows, for which related objects are loaded in batches. For a larger page the batches could
 * exceed the size limit of a value.
 */
export const maxBatchedRows = 1000;

/** Conditions, order and range of the page of a list to read. */
export interface RequestedPageRows {
  readonly model: ModelDefinition;
  readonly conditions: readonly SqlText[];
  /** SQL common table expressions that the conditions use. */
  readonly tables: readonly SqlText[];
  /**
   * SQL array expression of the ids of all matching rows, in the model's default order; null if the SQL conditions must
   * find the rows.
   */
  readonly wholeIds: SqlText | null;
  readonly order: ListOrdering;
  readonly page: PageRequest;
  readonly parameters: SqlParameters;
  /** SQL expression of the number of all rows, if the page is read from the end of the list; otherwise null. */
  readonly fromEnd: SqlText | null;
  /** True for pages of an unfiltered list that are far from both ends; see {@link ListOrdering.targets}. */
  readonly skipsTargets: boolean;
}

/** Rows of a list that are sorted separately from its other rows. */
interface SortOrderSegment {
  readonly from: SqlText;
  readonly keys: readonly SortKey[];
  /**
   * SQL tables joined for the reference that the list is sorted by (see {@link ListOrdering.isByTarget}). With `target`,
   * `from` selects the rows that refer to one object, and `whole` the rows of all referenced objects.
   */
  readonly target?: SqlText;
  readonly whole?: SqlText;
}

/** Returns the SQL query for the rows of a page in its order, with all columns. */
export function pageRowsSql(requested: RequestedPageRows): SqlText {
  const { model, conditions, order, page, fromEnd } = requested;
  const { limit, offset } = getPageRange(requested);
  if (page.limit > maxBatchedRows || (offset === null && order.leading === null && !canFindPageIdsFirst(requested))) {
    const range = `${limit === null ? '' : ` LIMIT ${limit}`}${offset === null ? '' : ` OFFSET ${offset}`}`;
    return `SELECT ${objectRowAlias}.* FROM ${model.table} ${objectRowAlias}${createSingleSegmentClauses(order, conditions)}${range}`;
  }
  const skipped = fromEnd === null ? (offset ?? '0') : `greatest(0, ${fromEnd} - ${offset ?? '0'} - ${limit ?? '0'})`;
  if (fromEnd === null)
    return rowsWithIdsSql(model, createIdSliceSql(requested, { limit: limit ?? 'ALL', offset: skipped }));
  // If the last page is not full, the first page counted from the end begins before it; the WHERE clause removes those
  // rows.
  const ids = pageIdsFromEndSql(requested, { limit: limit ?? 'ALL', offset: skipped });
  return `${rowsByIdSql(model, ids)} WHERE k.n <= ${fromEnd} - ${offset ?? '0'} ORDER BY k.n DESC`;
}

/** Returns an SQL array expression of the ids of a page in its order. */
export function orderedPageIdsSql(requested: RequestedPageRows): SqlText {
  const { limit, offset } = getPageRange(requested);
  return createIdSliceSql(requested, { limit: limit ?? 'ALL', offset: offset ?? '0' });
}

function pageIdsFromEndSql(requested: RequestedPageRows, range: PageRange): SqlText {
  const { model, order, skipsTargets } = requested;
  if (skipsTargets && order.targets !== null)
    return pageIdsByTargetSql(model.table, reverseTargetOrder(order.targets), range);
  return pageIdsSql(createOrderSegments(requested).map(reverseOrderSegment).toReversed(), range);
}

/** Offset that is beyond the end of any array, but within the range of array subscripts. */
const largestArrayOffset = 2_000_000_000;

/**
 * Returns an SQL array expression of the ids of a page. If the ids of all matching rows are computed in the order of
 * the list, the result is a slice of their array.
 */
function createIdSliceSql(requested: RequestedPageRows, range: PageRange): SqlText {
  const { model, wholeIds, order, skipsTargets } = requested;
  if (skipsTargets && order.targets !== null) return pageIdsByTargetSql(model.table, order.targets, range);
  if (wholeIds === null || !order.isOwn || range.limit === 'ALL')
    return pageIdsSql(createOrderSegments(requested), range);
  const first = `least(${range.offset}, ${largestArrayOffset})::int`;
  return `(${wholeIds})[${first} + 1 : ${first} + ${range.limit}::int]`;
}

/**
 * Returns true if the ids of a page can be found without reading its rows: from a computed list of all ids, an index,
 * or a computed order.
 */
function canFindPageIdsFirst({ wholeIds, conditions, order }: RequestedPageRows): boolean {
  return (
    (wholeIds !== null && order.isOwn) ||
    isSortedByTarget(order, conditions) ||
    createComputedRowsClause(order, conditions) !== null
  );
}

/**
 * Returns true for an unfiltered list that is sorted by a reference. A page then needs, for each target, at most as
 * many rows as the page's end position.
 */
function isSortedByTarget({ isByTarget }: ListOrdering, conditions: readonly SqlText[]): boolean {
  return isByTarget && conditions.length === 0;
}

/**
 * Returns the FROM clause for an unfiltered list whose sort order is computed for all rows. This clause does not read
 * the model's table. Returns null for other lists.
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
 * Returns the SQL query for the rows with the ids of an array expression, in the order of the array, with all columns.
 */
export function rowsWithIdsSql(model: ModelDefinition, ids: SqlText): SqlText {
  return `${rowsByIdSql(model, ids)} ORDER BY k.n`;
}

function rowsByIdSql({ table }: ModelDefinition, ids: SqlText): SqlText {
  return `SELECT ${objectRowAlias}.* FROM unnest(${ids}) WITH ORDINALITY AS k (id, n)
    JOIN ${table} ${objectRowAlias} ON ${objectRowAlias}.id = k.id`;
}

/** Returns a WHERE clause of SQL conditions that a row must all meet; empty without conditions. */
export function createWhereClause(conditions: readonly SqlText[]): SqlText {
  return conditions.length === 0 ? '' : ` WHERE ${conditions.map((condition) => `(${condition})`).join(' AND ')}`;
}

function getPageRange({ page, parameters }: RequestedPageRows): {
  readonly limit: SqlText | null;
  readonly offset: SqlText | null;
} {
  const limit = preparedPageSizes.has(page.limit) ? String(page.limit) : null;
  return {
    limit: isUnlimitedPage(page) ? null : (limit ?? parameters.add(page.limit, 'bigint')),
    offset: page.kind === 'offset' && page.offset > 0 ? parameters.add(page.offset, 'bigint') : null,
  };
}

/** Returns the joins, the WHERE clause and the sort keys of a list whose rows are all sorted together. */
function createSingleSegmentClauses({ leading, joins, keys }: ListOrdering, conditions: readonly SqlText[]): SqlText {
  const leadingJoins = leading?.joins.map((join) => ({ ...join, isOuter: true })) ?? [];
  const allKeys = [...(leading?.keys ?? []), ...keys];
  return `${createJoinClause([...leadingJoins, ...joins])}${createWhereClause(conditions)} ${createOrderClause(allKeys)}`;
}

/**
 * Returns the groups of a list's rows that are sorted separately. If the list is sorted by a nullable reference, rows
 * without it are a separate group. The other rows can then be found through an index, in the order of the referenced
 * objects.
 */
function createOrderSegments({ model, conditions, order }: RequestedPageRows): readonly SortOrderSegment[] {
  const { leading, joins, keys } = order;
  const computed = createComputedRowsClause(order, conditions);
  if (computed !== null) return [{ from: computed, keys }];
  const from = `FROM ${model.table} ${objectRowAlias}`;
  const [join, ...further] = leading?.joins ?? joins;
  const byTarget =
    join !== undefined && isSortedByTarget(order, conditions)
      ? { target: `${join.table}${createJoinClause(further)}`, from: `${from} WHERE ${join.condition}` }
      : null;
  if (leading === null) {
    return [{ from: `${from}${createJoinClause(joins)}${createWhereClause(conditions)}`, ...byTarget, keys }];
  }
  const present = createWhereClause([...conditions, `${leading.column} IS NOT NULL`]);
  const related: SortOrderSegment = {
    from: `${from}${createJoinClause([...leading.joins, ...joins])}${present}`,
    ...(byTarget && { ...byTarget, whole: `${from}${present}` }),
    keys: [...leading.keys, ...keys],
  };
  const unrelated: SortOrderSegment = {
    from: `${from}${createJoinClause(joins)}${createWhereClause([...conditions, `${leading.column} IS NULL`])}`,
    keys,
  };
  return leading.keys[0]?.descending === true ? [unrelated, related] : [related, unrelated];
}

function reverseOrderSegment(segment: SortOrderSegment): SortOrderSegment {
  return { ...segment, keys: reverseSortKeys(segment.keys) };
}

/**
 * Returns the FROM clause for the rows of a segment up to the end of the page. If the list is sorted by a reference,
 * only the first rows by id are read for each referenced object.
 */
function createSegmentRowsClause({ from, keys, target }: SortOrderSegment, { limit, offset }: PageRange): SqlText {
  if (target === undefined) return from;
  const first = `SELECT ${objectRowAlias}.id ${from} ${createOrderClause(keys.slice(-1))}${limit === 'ALL' ? '' : ` LIMIT ${limit} + ${offset}`}`;
  return `FROM ${target} CROSS JOIN LATERAL (${first}) ${objectRowAlias}`;
}

/**
 * Returns an SQL array expression of the ids of a page. Only ids are sorted and skipped, by an index-only scan if
 * possible.
 */
function pageIdsSql(segments: readonly SortOrderSegment[], { limit, offset }: PageRange): SqlText {
  const [first, second] = segments;
  if (first === undefined) return "'{}'::bigint[]";
  const range = `LIMIT ${limit}${offset === '0' ? '' : ` OFFSET ${offset}`}`;
  const ids = `ARRAY(SELECT ${objectRowAlias}.id ${createSegmentRowsClause(first, { limit, offset })} ${createOrderClause(first.keys)} ${range})`;
  if (second === undefined) return ids;
  const skipped =
    offset === '0'
      ? '0'
      : `CASE WHEN cardinality(f.ids) > 0 THEN 0 ELSE greatest(0, ${offset} - (SELECT count(*) ${first.whole ?? first.from})) END`;
  const others = createSegmentRowsClause(second, { limit, offset: skipped });
  const further = `ARRAY(SELECT ${objectRowAlias}.id ${others} ${createOrderClause(second.keys)} LIMIT ${limit} - cardinality(f.ids) OFFSET ${skipped})`;
  return `(SELECT f.ids || ${further} FROM (SELECT ${ids} AS ids OFFSET 0) f)`;
}
