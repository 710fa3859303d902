import { literal, type Sql } from '../sql/pieces.js';
import { around } from '../sql/statement.js';
import { mostTogether, pageIds, pageRows, rowsOfIds, type WantedRows, where } from './page-rows.js';
import { pageTable, rowAlias } from './shapes.js';

/** The parts of the statements that read a page. */
export interface PageParts extends WantedRows {
  /** Expression of the number of all rows of the list. */
  readonly count: Sql;
  /** Expression of the JSON text of a row. */
  readonly shape: Sql;
  /** Expressions of the values of filters that name nothing. */
  readonly checks: readonly Sql[];
}

/** Reads a page with one statement: the number of all rows, the objects as text, their number, the last id, the checks. */
export function pageStatement(parts: PageParts): Sql {
  const rows = pageRows(parts);
  const isPage = parts.page.limit <= mostTogether;
  const table = isPage ? `WITH ${pageTable} AS MATERIALIZED (${rows}) ` : '';
  return around(
    `${table}SELECT ${parts.count}, p.results, p.rows, p.last_id, ${checksOf(parts)}${beforeShape}`,
    parts.shape,
    afterShape(isPage ? pageTable : `(${rows})`),
  );
}

/** Chooses the rows of a page: the number of all rows, the ids in their order, the checks. */
export function idsStatement(parts: PageParts): Sql {
  return `SELECT ${parts.count}, ${pageIds(parts)}, ${checksOf(parts)} WHERE $1::text IS NOT NULL`;
}

/** Reads the objects with the ids `$2`: their text, their number, the last id. */
export function rowsStatement({ model, shape }: Pick<PageParts, 'model' | 'shape'>): Sql {
  const rows = rowsOfIds(model, '$2::bigint[]');
  return around(
    `WITH ${pageTable} AS MATERIALIZED (${rows}) SELECT p.results, p.rows, p.last_id${beforeShape}`,
    shape,
    afterShape(pageTable),
  );
}

/** The number of all objects of a model, from the counter that triggers keep. */
export function storedCount({ type }: WantedRows['model']): Sql {
  return `(SELECT coalesce(sum(n), 0)::bigint FROM row_counts WHERE model = ${literal(type)})`;
}

/** Exact: from the counter that triggers keep for a whole table, by counting for a part of it. Cursor pages show none. */
export function countOf({ model, conditions, page }: Pick<WantedRows, 'model' | 'conditions' | 'page'>): Sql {
  if (page.kind === 'cursor') return '0::bigint';
  if (conditions.length === 0) return storedCount(model);
  return `(SELECT count(*) FROM ${model.table} ${rowAlias}${where(conditions)})`;
}

const beforeShape = `
      FROM (SELECT string_agg(item, ', ') AS results, count(*) AS rows, max(id) AS last_id
        FROM (SELECT `;

function afterShape(source: Sql): Sql {
  return ` AS item, ${rowAlias}.id FROM ${source} ${rowAlias}) items) p
      WHERE $1::text IS NOT NULL`;
}

function checksOf({ checks }: PageParts): Sql {
  return checks.length === 0 ? 'NULL::text[]' : `ARRAY[${checks.join(', ')}]`;
}
