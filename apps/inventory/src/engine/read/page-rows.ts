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
  readonly order: Ordering;
  readonly page: Page;
  readonly parameters: Parameters;
  /** Expression of the number of all rows, for pages that are read from the end of the list; null for others. */
  readonly fromEnd: Sql | null;
}

/** A part of a list in an order: where its rows are, and its keys. */
interface Segment {
  readonly from: Sql;
  readonly keys: readonly OrderKey[];
}

/** The rows of a page in its order, all columns. */
export function pageRows(wanted: WantedRows): Sql {
  const { model, conditions, order, page, fromEnd } = wanted;
  const { limit, offset } = rangeOf(wanted);
  if (page.limit > mostTogether || (offset === null && order.leading === null)) {
    const range = `${limit === null ? '' : ` LIMIT ${limit}`}${offset === null ? '' : ` OFFSET ${offset}`}`;
    return `SELECT ${rowAlias}.* FROM ${model.table} ${rowAlias}${wholeOrder(order, conditions)}${range}`;
  }
  const skipped = fromEnd === null ? (offset ?? '0') : `greatest(0, ${fromEnd} - ${offset ?? '0'} - ${limit ?? '0'})`;
  const segments = fromEnd === null ? segmentsOf(wanted) : segmentsOf(wanted).map(backwards).toReversed();
  // The first page from the end would begin before the wanted one when the last page is not full.
  const within = fromEnd === null ? '' : ` WHERE k.n <= ${fromEnd} - ${offset ?? '0'}`;
  const ids = idsOf(segments, { limit: limit ?? 'ALL', offset: skipped });
  return `${rowsById(model, ids)}${within} ORDER BY k.n${fromEnd === null ? '' : ' DESC'}`;
}

/** An array expression of the ids of a page in its order. */
export function pageIds(wanted: WantedRows): Sql {
  const { limit, offset } = rangeOf(wanted);
  return idsOf(segmentsOf(wanted), { limit: limit ?? 'ALL', offset: offset ?? '0' });
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
function segmentsOf({ model, conditions, order: { leading, joins, keys } }: WantedRows): readonly Segment[] {
  const from = `FROM ${model.table} ${rowAlias}`;
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

function backwards({ from, keys }: Segment): Segment {
  return { from, keys: reversed(keys) };
}

/** An array expression of the ids of a page: only ids are sorted and skipped, from an index alone where one has the keys. */
function idsOf(segments: readonly Segment[], { limit, offset }: { readonly limit: Sql; readonly offset: Sql }): Sql {
  const [first, second] = segments;
  if (first === undefined) return "'{}'::bigint[]";
  const range = `LIMIT ${limit}${offset === '0' ? '' : ` OFFSET ${offset}`}`;
  const ids = `ARRAY(SELECT ${rowAlias}.id ${first.from} ${orderClause(first.keys)} ${range})`;
  if (second === undefined) return ids;
  const skipped =
    offset === '0'
      ? ''
      : ` OFFSET CASE WHEN cardinality(f.ids) > 0 THEN 0 ELSE greatest(0, ${offset} - (SELECT count(*) ${first.from})) END`;
  const further = `ARRAY(SELECT ${rowAlias}.id ${second.from} ${orderClause(second.keys)} LIMIT ${limit} - cardinality(f.ids)${skipped})`;
  return `(SELECT f.ids || ${further} FROM (SELECT ${ids} AS ids OFFSET 0) f)`;
}
