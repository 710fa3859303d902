import { z } from 'zod';
import { pageUrl } from './page-url.js';
import { lastValue, parseCount, queryValue } from './query-value.js';

/** Default and maximum number of rows of a page. */
export interface PageBounds {
  /** Number of rows on a page without `limit`; at most `maxLimit`. */
  readonly defaultLimit: number;
  /** Maximum number of rows on a page, 1 or more. */
  readonly maxLimit: number;
}

/** Query parameters of a page by position. */
export interface OffsetQuery {
  /** Maximum number of rows on the page, 1 to `maxLimit`. */
  readonly limit: number;
  /** Number of rows before the page. */
  readonly offset: number;
}

/** Response body of a list, one page of it. `R` is the type of rows: objects, or JSON from PostgreSQL. */
export interface ListPage<R> {
  /** Number of rows of the whole list; null if they are not counted. */
  readonly count: number | null;
  /** Absolute URL of the next page, or null. */
  readonly next: string | null;
  /** Absolute URL of the previous page, or null. */
  readonly previous: string | null;
  readonly results: R;
}

/**
 * Checks the default and maximum page size.
 *
 * @throws RangeError for invalid sizes, which are a programming error
 */
export function checkBounds({ defaultLimit, maxLimit }: PageBounds): void {
  if (!Number.isSafeInteger(maxLimit) || maxLimit < 1 || !Number.isSafeInteger(defaultLimit) || defaultLimit < 1) {
    throw new RangeError(`Invalid page sizes: default ${defaultLimit}, maximum ${maxLimit}`);
  }
}

/**
 * Returns the number of rows for a value of the query parameter `limit`: the maximum for 0, and the default for a value
 * that is not a number.
 */
export function boundedLimit(value: string | undefined, { defaultLimit, maxLimit }: PageBounds): number {
  const asked = parseCount(value);
  if (asked === undefined) return Math.min(defaultLimit, maxLimit);
  return asked === 0 ? maxLimit : Math.min(asked, maxLimit);
}

/** Schema of the query parameter `limit`, with its documentation. */
export const limitParameter = queryValue.meta({
  description: 'Rows a page; 0 for as many as allowed.',
  override: { type: 'integer' },
});

/** Schema of the query parameter `offset`, with its documentation. */
export const offsetParameter = queryValue.meta({
  description: 'Rows to pass over before the page.',
  override: { type: 'integer' },
});

/**
 * Returns the schema of `limit` and `offset` in a query string. The schema rejects nothing: invalid numbers count as
 * absent, and too large numbers become the maximum (docs/contract/inventory.md 1.7).
 */
export function offsetQuery(bounds: PageBounds) {
  checkBounds(bounds);
  return z.object({ limit: limitParameter, offset: offsetParameter }).transform(({ limit, offset }): OffsetQuery => ({
    limit: boundedLimit(lastValue(limit), bounds),
    offset: parseCount(lastValue(offset)) ?? 0,
  }));
}

/**
 * Returns the response body of a page by position (docs/contract/inventory.md 1.7). A page beyond the end of the list
 * is empty and has a link to the previous page.
 *
 * @param url absolute URL of the request, as the client sees it
 * @param count number of rows of the whole list
 */
export function offsetPage<R>(url: string, { limit, offset }: OffsetQuery, count: number, results: R): ListPage<R> {
  const before = offset - limit;
  return {
    count,
    next: offset + limit < count ? pageUrl(url, { limit, offset: offset + limit }) : null,
    previous: offset > 0 ? pageUrl(url, { limit, offset: before > 0 ? before : null }) : null,
    results,
  };
}
