import { quoteSqlLiteral, type SqlText } from '../sql/json-text-sql.js';
import { getCachedSqlText } from '../sql/parameterized-statement.js';
import {
  maxRowsForBatchedLoading,
  createOrderedPageIdsSql,
  createPageRowsSql,
  createIdOrderedRowsSql,
  type RequestedPageRows,
  createWhereClause,
} from './page-rows-sql.js';
import type { DatabaseCursorSqlClauses } from './read-with-cursor.js';
import { pageRowsCteName, objectRowAlias } from './object-json-sql.js';

/** SQL parts from which the statements that read a page of a list are built. */
export interface ListPageStatementSqlParts extends RequestedPageRows {
  /** SQL expression of the number of all rows that match the list's filters. */
  readonly count: SqlText;
  /** SQL expression of the JSON text of one row of the page. */
  readonly shape: SqlText;
  /** SQL expressions that check that filter values name existing objects. */
  readonly checks: readonly SqlText[];
  /** Maximum length in bytes of the page's JSON text. A longer text is returned as null. */
  readonly longest: number;
  /**
   * Columns with the types of the objects that the rows' generic references point to. Also a function from a list of
   * types to the SQL expression of a row's JSON text. Null if the JSON text depends on no type or on few types.
   */
  readonly typed: {
    readonly columns: readonly SqlText[];
    readonly shapeOf: (types: readonly string[]) => SqlText;
  } | null;
}

/**
 * Page size, in rows, from which PostgreSQL stops building the JSON text of a page at the size limit. The text of a
 * smaller page does not reach that limit.
 */
const LARGE_PAGE_ROWS = 101;

/**
 * Returns the SQL statement that reads a page of a list. The result has the number of all rows, the JSON text of the
 * page's objects, their number, the last id, and the checks. The JSON text is null if it exceeds the maximum length.
 */
export function createReadPageSql(parts: ListPageStatementSqlParts): SqlText {
  const rows = createPageRowsSql(parts);
  const isPage = parts.page.limit <= maxRowsForBatchedLoading;
  const tables = [...parts.tables, ...(isPage ? [`${pageRowsCteName} AS MATERIALIZED (${rows})`] : [])];
  return getCachedSqlText(
    `${createWithClause(tables)}SELECT ${parts.count}, p.results, p.rows, p.last_id, ${createValueExistenceChecksSql(parts)}${createSqlBeforeShape(parts)}`,
    parts.shape,
    createSqlAfterShape(isPage ? pageRowsCteName : `(${rows})`, parts),
  );
}

/**
 * Returns the SQL statement that selects the ids of a page, in order. The result also has the number of all rows, the
 * results of the checks, and the types in the columns of `typed`.
 */
export function createSelectPageIdsSql(parts: ListPageStatementSqlParts): SqlText {
  const head = `${createWithClause(parts.tables)}SELECT ${parts.count}`;
  if (parts.typed === null) {
    return `${head}, ${createOrderedPageIdsSql(parts)}, ${createValueExistenceChecksSql(parts)}, NULL::text[] WHERE $1::text IS NOT NULL`;
  }
  const types = `ARRAY(SELECT DISTINCT v.type FROM ${parts.model.table} ${objectRowAlias},
      unnest(ARRAY[${parts.typed.columns.join(', ')}]) AS v (type) WHERE ${objectRowAlias}.id = ANY (c.ids) AND v.type IS NOT NULL)`;
  return `${head}, c.ids, ${createValueExistenceChecksSql(parts)}, ${types} FROM (SELECT ${createOrderedPageIdsSql(parts)} AS ids OFFSET 0) c WHERE $1::text IS NOT NULL`;
}

function createWithClause(tables: readonly SqlText[]): SqlText {
  return tables.length === 0 ? '' : `WITH ${tables.join(', ')} `;
}

/** Returns the SQL for reading the objects of a page through a database cursor, which returns a few rows at a time. */
export function createCursorReadSql(parts: ListPageStatementSqlParts): DatabaseCursorSqlClauses {
  const objects = `SELECT ${parts.shape} AS item, ${objectRowAlias}.id FROM (${createPageRowsSql(parts)}) ${objectRowAlias}`;
  return {
    tables: createWithClause(parts.tables),
    objects,
    count: parts.count,
    checks: createValueExistenceChecksSql(parts),
    values: parts.parameters.values,
  };
}

/**
 * Returns the SQL statement that reads the objects with the ids `$2`: their JSON text, number, and the last id. The
 * JSON text is null if it exceeds the maximum length.
 */
export function createSelectByIdsSql(
  parts: Pick<ListPageStatementSqlParts, 'model' | 'shape' | 'page' | 'longest'>,
): SqlText {
  const { model, shape } = parts;
  const rows = createIdOrderedRowsSql(model, '$2::bigint[]');
  return getCachedSqlText(
    `WITH ${pageRowsCteName} AS MATERIALIZED (${rows}) SELECT p.results, p.rows, p.last_id${createSqlBeforeShape(parts)}`,
    shape,
    createSqlAfterShape(pageRowsCteName, parts),
  );
}

/**
 * Returns the SQL expression of the number of all objects of a model. Database triggers update the stored number at
 * each write.
 */
export function createStoredRowCountSql({ type }: RequestedPageRows['model']): SqlText {
  return `(SELECT coalesce(sum(n), 0)::bigint FROM row_counts WHERE model = ${quoteSqlLiteral(type)})`;
}

/**
 * Returns the SQL expression of the number of rows that match a list's filters. An unfiltered list uses the number that
 * triggers maintain; other lists count the rows. A page that starts at an id shows no count.
 */
export function createMatchingRowCountSql({
  model,
  conditions,
  page,
  wholeIds,
}: Pick<RequestedPageRows, 'model' | 'conditions' | 'page' | 'wholeIds'>): SqlText {
  if (page.kind === 'cursor') return '0::bigint';
  if (wholeIds !== null) return `cardinality(${wholeIds})::bigint`;
  if (conditions.length === 0) return createStoredRowCountSql(model);
  return `(SELECT count(*) FROM ${model.table} ${objectRowAlias}${createWhereClause(conditions)})`;
}

function createSqlBeforeShape({ longest, page }: Pick<ListPageStatementSqlParts, 'longest' | 'page'>): SqlText {
  const [results, items] =
    page.limit < LARGE_PAGE_ROWS
      ? ["string_agg(item, ', ')", 'SELECT ']
      : [
          `CASE WHEN max(size) <= ${longest} THEN string_agg(item, ', ') FILTER (WHERE size <= ${longest}) END`,
          'SELECT item, id, sum(octet_length(item)) OVER (ROWS UNBOUNDED PRECEDING) AS size FROM (SELECT ',
        ];
  return `
      FROM (SELECT CASE WHEN octet_length(a.results) <= ${longest} THEN a.results END AS results, a.rows, a.last_id
        FROM (SELECT ${results} AS results, count(*) AS rows, max(id) AS last_id FROM (${items}`;
}

function createSqlAfterShape(source: SqlText, { page }: Pick<ListPageStatementSqlParts, 'page'>): SqlText {
  const items = page.limit < LARGE_PAGE_ROWS ? ') items' : ') texts) items';
  return ` AS item, ${objectRowAlias}.id FROM ${source} ${objectRowAlias}${items}) a) p
      WHERE $1::text IS NOT NULL`;
}

function createValueExistenceChecksSql({ checks }: ListPageStatementSqlParts): SqlText {
  return checks.length === 0 ? 'NULL::text[]' : `ARRAY[${checks.join(', ')}]`;
}
