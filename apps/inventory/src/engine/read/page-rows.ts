import type { ModelDefinition } from '../declaration/model.js';
import type { Sql } from '../sql/pieces.js';
import type { Parameters } from '../sql/statement.js';
import { joinClause, type OrderKey, type Ordering, orderClause, reversed } from './ordering.js';
import { isUnlimited, type Page } from './paging.js';
import { rowAlias } from './shapes.js';

/** Page sizes that clients ask for often are part of the statement, so that PostgreSQL plans with them. */
const usualLimits = new Set([1, 10, 20, 25, 50, 100, 200, 250, 500, 1000]);

/** Largest page whose related objects are read together: those of a larger page could exceed the size limit of a value. */
export const mostTogether = 1000;

/** A page of a list that is to be read. */
export interface WantedRows {
  readonly model: ModelDefinition;
  readonly conditions: readonly Sql[];
  /** Common table expressions that the conditions read. */
  readonly tables: readonly Sql[];
  /** Array expression of the ids of all rows in the model's own order; null when the conditions have to find them. */
  readonly wholeIds: Sql | null;
  readonly order: Ordering;
  readonly page: Page;
  readonly parameters: Parameters;
  /** Expression of the number of all rows, for pages that are read from the end of the list; null for others. */
  readonly fromEnd: Sql | null;
}

/** LIMIT and OFFSET of a page. */
interface Range {
  readonly limit: Sql;
  readonly offset: Sql;
}

/** A part of a list in an order: where its rows are, and its keys. */
interface Segment {
  readonly from: Sql;
  readonly keys: readonly OrderKey[];
  /** The joined target of {@link Ordering.isByTarget}; `from` then finds the rows of one target. */
  readonly target?: Sql;
}

/** The rows of a page in its order, all columns. */
export function pageRows(wanted: WantedRows): Sql {
  const { model, conditions, order, page, fromEnd } = wanted;
  const { limit, offset } = rangeOf(wanted);
  if (page.limit > mostTogether || (offset === null && order.leading === null && !isFoundById(wanted))) {
    const range = `${limit === null ? '' : ` LIMIT ${limit}`}${offset === null ? '' : ` OFFSET ${offset}`}`;
    return `SELECT ${rowAlias}.* FROM ${model.table} ${rowAlias}${wholeOrder(order, conditions)}${range}`;
  }
  const skipped = fromEnd === null ? (offset ?? '0') : `greatest(0, ${fromEnd} - ${offset ?? '0'} - ${limit ?? '0'})`;
  if (fromEnd === null) return rowsOfIds(model, selectedIds(wanted, { limit: limit ?? 'ALL', offset: skipped }));
  const segments = segmentsOf(wanted).map(backwards).toReversed();
  // The first page from the end would begin before the wanted one when the last page is not full.
  const ids = idsOf(segments, { limit: limit ?? 'ALL', offset: skipped });
  return `${rowsById(model, ids)} WHERE k.n <= ${fromEnd} - ${offset ?? '0'} ORDER BY k.n DESC`;
}

/** An array expression of the ids of a page in its order. */
export function pageIds(wanted: WantedRows): Sql {
  const { limit, offset } = rangeOf(wanted);
  return selectedIds(wanted, { limit: limit ?? 'ALL', offset: offset ?? '0' });
}

/** Offset past the end of any array, within the numbers that a subscript can have. */
const farthestOffset = 2_000_000_000;

/** An array expression of the ids of a page: a slice of the ids of all rows where these are computed in their order. */
function selectedIds(wanted: WantedRows, range: Range): Sql {
  const { wholeIds, order } = wanted;
  if (wholeIds === null || !order.isOwn || range.limit === 'ALL') return idsOf(segmentsOf(wanted), range);
  const first = `least(${range.offset}, ${farthestOffset})::int`;
  return `(${wholeIds})[${first} + 1 : ${first} + ${range.limit}::int]`;
}

/** True if the ids of a page are found without the rows: in the ids of all rows, or where an order is computed. */
function isFoundById({ wholeIds, conditions, order }: WantedRows): boolean {
  return (
    (wholeIds !== null && order.isOwn) || isFoundByTarget(order, conditions) || computedRows(order, conditions) !== null
  );
}

/** True for a list of all rows in the order of a reference: a page needs no more rows of each target than it has itself. */
function isFoundByTarget({ isByTarget }: Ordering, conditions: readonly Sql[]): boolean {
  return isByTarget && conditions.length === 0;
}

/** The FROM clause of a list of all rows in an order that is computed for all of them, without the table; null for others. */
function computedRows({ leading, joins, keys }: Ordering, conditions: readonly Sql[]): Sql | null {
  const [join, ...others] = joins;
  const isWhole = leading === null && conditions.length === 0 && others.length === 0;
  // The keys are the computed number and the id.
  if (join?.computedId === undefined || !isWhole || keys.length > 2) return null;
  return `FROM ${join.table} CROSS JOIN LATERAL (SELECT ${join.computedId}) ${rowAlias} (id)`;
}

/** The rows with the ids of an array expression, in its order, all columns. */
export function rowsOfIds(model: ModelDefinition, ids: Sql): Sql {
  return `${rowsById(model, ids)} ORDER BY k.n`;
}

function rowsById({ table }: ModelDefinition, ids: Sql): Sql {
  return `SELECT ${rowAlias}.* FROM unnest(${ids}) WITH ORDINALITY AS k (id, n)
    JOIN ${table} ${rowAlias} ON ${rowAlias}.id = k.id`;
}

/** The WHERE clause that requires all of some conditions; empty without any. */
export function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? '' : ` WHERE ${conditions.map((condition) => `(${condition})`).join(' AND ')}`;
}

function rangeOf({ page, parameters }: WantedRows): { readonly limit: Sql | null; readonly offset: Sql | null } {
  const limit = usualLimits.has(page.limit) ? String(page.limit) : null;
  return {
    limit: isUnlimited(page) ? null : (limit ?? parameters.add(page.limit, 'bigint')),
    offset: page.kind === 'offset' && page.offset > 0 ? parameters.add(page.offset, 'bigint') : null,
  };
}

/** The joins, the condition and the order of a list that is read as one. */
function wholeOrder({ leading, joins, keys }: Ordering, conditions: readonly Sql[]): Sql {
  const leadingJoins = leading?.joins.map((join) => ({ ...join, isOuter: true })) ?? [];
  const allKeys = [...(leading?.keys ?? []), ...keys];
  return `${joinClause([...leadingJoins, ...joins])}${where(conditions)} ${orderClause(allKeys)}`;
}

/**
 * The parts of the list. Rows without the reference that an order begins with are a part of their own: the others can
 * then be found in the order of the objects that they refer to, which an index may serve.
 */
function segmentsOf({ model, conditions, order }: WantedRows): readonly Segment[] {
  const { leading, joins, keys } = order;
  const computed = computedRows(order, conditions);
  if (computed !== null) return [{ from: computed, keys }];
  const from = `FROM ${model.table} ${rowAlias}`;
  const [join] = joins;
  if (join !== undefined && isFoundByTarget(order, conditions)) {
    return [{ target: join.table, from: `${from} WHERE ${join.condition}`, keys }];
  }
  if (leading === null) return [{ from: `${from}${joinClause(joins)}${where(conditions)}`, keys }];
  const related: Segment = {
    from: `${from}${joinClause([...leading.joins, ...joins])}${where([...conditions, `${leading.column} IS NOT NULL`])}`,
    keys: [...leading.keys, ...keys],
  };
  const unrelated: Segment = {
    from: `${from}${joinClause(joins)}${where([...conditions, `${leading.column} IS NULL`])}`,
    keys,
  };
  return leading.keys[0]?.descending === true ? [unrelated, related] : [related, unrelated];
}

function backwards(segment: Segment): Segment {
  return { ...segment, keys: reversed(segment.keys) };
}

/** The rows of a segment for a range of its order. Of each target, the first ones by id are enough. */
function rowsOf({ from, keys, target }: Segment, { limit, offset }: Range): Sql {
  if (target === undefined) return from;
  const first = `SELECT ${rowAlias}.id ${from} ${orderClause(keys.slice(-1))} LIMIT ${limit} + ${offset}`;
  return `FROM ${target} CROSS JOIN LATERAL (${first}) ${rowAlias}`;
}

/** An array expression of the ids of a page: only ids are sorted and skipped, from an index alone where one has the keys. */
function idsOf(segments: readonly Segment[], { limit, offset }: Range): Sql {
  const [first, second] = segments;
  if (first === undefined) return "'{}'::bigint[]";
  const range = `LIMIT ${limit}${offset === '0' ? '' : ` OFFSET ${offset}`}`;
  const ids = `ARRAY(SELECT ${rowAlias}.id ${rowsOf(first, { limit, offset })} ${orderClause(first.keys)} ${range})`;
  if (second === undefined) return ids;
  const skipped =
    offset === '0'
      ? ''
      : ` OFFSET CASE WHEN cardinality(f.ids) > 0 THEN 0 ELSE greatest(0, ${offset} - (SELECT count(*) ${first.from})) END`;
  const further = `ARRAY(SELECT ${rowAlias}.id ${second.from} ${orderClause(second.keys)} LIMIT ${limit} - cardinality(f.ids)${skipped})`;
  return `(SELECT f.ids || ${further} FROM (SELECT ${ids} AS ids OFFSET 0) f)`;
}
