import type { Database } from '@switchboard/database';
import type { PermissionGrant } from '../object-access.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { CompiledListFilters } from '../filter/compile-filters.js';
import { createPreparedQuery } from '../sql/parameterized-statement.js';
import { maxRowsForBatchedLoading } from './page-rows-sql.js';
import { createStoredRowCountSql } from './list-page-statements.js';
import type { RequestedListPage } from './list-paging.js';

/**
 * Smallest offset at which a page of an unfiltered list is read backwards, if the end of the list is nearer than its
 * start.
 */
const minBackwardReadOffset = 1000;

/**
 * Fraction of a list's rows that lie between a page and the nearer end of the list. Above this fraction, the rows of
 * each referenced object are counted and skipped together. Counting is then not slower than reading the skipped rows.
 */
const MAX_ROW_FRACTION_FOR_COUNTS = 0.1;

/** Position of a page in an unfiltered list, which determines how the page is read. */
export interface PagePosition {
  /** True if the page is nearer to the end of the list than to its start. */
  readonly isFromEnd: boolean;
  /**
   * True if the page is far from both ends of the list. The rows that refer to the same object are then counted and
   * skipped together; see `Ordering.targets`.
   */
  readonly skipsTargets: boolean;
  /**
   * True if the page begins at a large offset of an unfiltered list. If the list is sorted by a nullable reference, the
   * rows with a reference are then counted before they are sorted. They need no sort if they all precede the page.
   */
  readonly isFar: boolean;
}

/**
 * Returns the position of a page at a large offset of an unfiltered list. The row count of the list may be older than
 * the database snapshot of the page. The page is then read more slowly, but correctly.
 */
export async function getPagePosition(
  database: Pick<Database, 'query'>,
  { model, grant }: { readonly model: ModelDefinition; readonly grant: PermissionGrant },
  page: RequestedListPage,
  { conditions, wholeIds }: Pick<CompiledListFilters, 'conditions' | 'wholeIds'>,
): Promise<PagePosition> {
  const isFar =
    page.kind === 'offset' && page.offset >= minBackwardReadOffset && page.limit <= maxRowsForBatchedLoading;
  if (!isFar || grant.where !== null || conditions.length > 0)
    return { isFromEnd: false, skipsTargets: false, isFar: false };
  const { rows } = await database.query<[string]>(createPreparedQuery(`SELECT ${createStoredRowCountSql(model)}`, []));
  const count = Number(rows[0]?.[0] ?? 0);
  const isFromEnd = page.offset > count / 2;
  const skipped = isFromEnd ? count - page.offset - page.limit : page.offset;
  return { isFromEnd, skipsTargets: wholeIds === null && skipped > count * MAX_ROW_FRACTION_FOR_COUNTS, isFar };
}
