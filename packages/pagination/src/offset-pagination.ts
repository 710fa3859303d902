import { z } from 'zod';
import { createPageUrl } from './page-url.js';
import { getLastQueryValue, parseNonNegativeInteger, queryValueSchema } from './parse-query-value.js';

/** Default and maximum number of rows on a page of a list. */
export interface PageSizeLimits {
  /** Number of rows on a page if the request has no parameter `limit`; at most `maxLimit`. */
  readonly defaultLimit: number;
  /** Maximum number of rows on a page, 1 or more. */
  readonly maxLimit: number;
}

/** Query parameters of a page by position: the number of rows, and the number of rows before the page. */
export interface OffsetPageQuery {
  /** Maximum number of rows on the page, 1 to `maxLimit`. */
  readonly limit: number;
  /** Number of rows of the list that precede the page. */
  readonly offset: number;
}

/**
 * Response body with one page of a list. `R` is the type of the rows on the page: objects, or JSON text from
 * PostgreSQL.
 */
export interface ListPageBody<R> {
  /** Number of rows of the whole list; null if the rows are not counted. */
  readonly count: number | null;
  /** Absolute URL of the next page of the list, or null if there is no next page. */
  readonly next: string | null;
  /** Absolute URL of the previous page of the list, or null if there is no previous page. */
  readonly previous: string | null;
  readonly results: R;
}

/**
 * Checks the default and maximum page size.
 *
 * @throws RangeError if a size is invalid, which is a programming error
 */
export function assertPageSizeLimits({ defaultLimit, maxLimit }: PageSizeLimits): void {
  if (!Number.isSafeInteger(maxLimit) || maxLimit < 1 || !Number.isSafeInteger(defaultLimit) || defaultLimit < 1) {
    throw new RangeError(`Invalid page sizes: default ${defaultLimit}, maximum ${maxLimit}`);
  }
}

/**
 * Returns the number of rows on a page for a value of the query parameter `limit`. Returns the maximum for 0, and the
 * default for a value that is not a number.
 */
export function toPageSize(value: string | undefined, { defaultLimit, maxLimit }: PageSizeLimits): number {
  const asked = parseNonNegativeInteger(value);
  if (asked === undefined) return Math.min(defaultLimit, maxLimit);
  return asked === 0 ? maxLimit : Math.min(asked, maxLimit);
}

/** Schema of the query parameter `limit`, with its documentation. */
export const limitParameterSchema = queryValueSchema.meta({
  description: 'Rows a page; 0 for as many as allowed.',
  override: { type: 'integer' },
});

/** Schema of the query parameter `offset`, with its documentation. */
export const offsetParameterSchema = queryValueSchema.meta({
  description: 'Rows to pass over before the page.',
  override: { type: 'integer' },
});

/**
 * Returns the schema of `limit` and `offset` in a query string. The schema accepts all values
 * (docs/contract/inventory.md 1.7). An invalid number has the same effect as a missing parameter, and a too large
 * number becomes the maximum.
 */
export function createOffsetQuerySchema(bounds: PageSizeLimits) {
  assertPageSizeLimits(bounds);
  return z
    .object({ limit: limitParameterSchema, offset: offsetParameterSchema })
    .transform(({ limit, offset }): OffsetPageQuery => ({
      limit: toPageSize(getLastQueryValue(limit), bounds),
      offset: parseNonNegativeInteger(getLastQueryValue(offset)) ?? 0,
    }));
}

/**
 * Returns the response body of a page by position (docs/contract/inventory.md 1.7). A page beyond the end of the list
 * is empty and has a link to the previous page.
 *
 * @param url absolute URL of the request, in the form that the client uses
 * @param count number of rows of the whole list
 */
export function createOffsetPage<R>(
  url: string,
  { limit, offset }: OffsetPageQuery,
  count: number,
  results: R,
): ListPageBody<R> {
  const before = offset - limit;
  return {
    count,
    next: offset + limit < count ? createPageUrl(url, { limit, offset: offset + limit }) : null,
    previous: offset > 0 ? createPageUrl(url, { limit, offset: before > 0 ? before : null }) : null,
    results,
  };
}
