import { z } from 'zod';
import {
  boundedLimit,
  checkBounds,
  limitParameter,
  type ListPage,
  offsetParameter,
  type PageBounds,
} from './offset.js';
import { pageUrl } from './page-url.js';
import { lastValue, parseCount, queryValue } from './query-value.js';

/** Query parameters of a page by id: rows with ids from `start` on, in ascending order. */
export interface CursorQuery {
  readonly start: number;
  /** Maximum number of rows on the page, 1 to `maxLimit`. */
  readonly limit: number;
}

/**
 * Reason why a page by id is rejected: `start` is not a non-negative integer, or is combined with `offset` or
 * `ordering`.
 */
export type CursorConflict = 'invalid_start' | 'start_with_offset' | 'start_with_ordering';

/**
 * Result of parsing a query string: a page by id, or a conflict. Conflicts are returned and not thrown, because each
 * app has its own error texts.
 */
export type CursorResult =
  | ({ readonly kind: 'cursor' } & CursorQuery)
  | { readonly kind: 'conflict'; readonly conflict: CursorConflict };

/** Page that a query string requests: by position (`offset`) or by id (`cursor`). */
export type PageResult = { readonly kind: 'offset'; readonly limit: number; readonly offset: number } | CursorResult;

const startParameter = queryValue.meta({
  description: 'Smallest id of the page; rows then come in the order of their ids and are not counted.',
  override: { type: 'integer', minimum: 0 },
});

const orderingParameter = queryValue.meta({
  description: 'Names to order by, separated by commas; a minus reverses one.',
  override: { type: 'string' },
});

const cursorParameters = z.object({
  start: startParameter,
  limit: limitParameter,
  offset: offsetParameter,
  ordering: orderingParameter,
});

function toCursor(parameters: z.output<typeof cursorParameters>, bounds: PageBounds): CursorResult {
  const start = parseCount(lastValue(parameters.start));
  if (start === undefined) return { kind: 'conflict', conflict: 'invalid_start' };
  if (parameters.offset !== undefined) return { kind: 'conflict', conflict: 'start_with_offset' };
  if (lastValue(parameters.ordering)) return { kind: 'conflict', conflict: 'start_with_ordering' };
  return { kind: 'cursor', start, limit: boundedLimit(lastValue(parameters.limit), bounds) };
}

/**
 * Returns the zod schema of a query string that must page by id (docs/contract/inventory.md 1.7). A missing `start` is
 * `invalid_start`.
 */
export function cursorQuery(bounds: PageBounds) {
  checkBounds(bounds);
  return cursorParameters.transform((parameters): CursorResult => toCursor(parameters, bounds));
}

/** Returns the zod schema of a list's query string: by id if `start` is given, otherwise by position. */
export function pageQuery(bounds: PageBounds) {
  checkBounds(bounds);
  return cursorParameters.transform((parameters): PageResult => {
    if (parameters.start !== undefined) return toCursor(parameters, bounds);
    const limit = boundedLimit(lastValue(parameters.limit), bounds);
    return { kind: 'offset', limit, offset: parseCount(lastValue(parameters.offset)) ?? 0 };
  });
}

/**
 * Returns the response body of a page by id (docs/contract/inventory.md 1.7). A full page has a link to a next page,
 * which may be empty, because a check would mean reading another row.
 *
 * @param url absolute URL of the request, as the client sees it
 * @param ids ids of the page's rows, ascending
 */
export function cursorPage<R>(url: string, { limit }: CursorQuery, ids: readonly number[], results: R): ListPage<R> {
  const last = ids.at(-1);
  const isFull = last !== undefined && ids.length >= limit;
  return { count: null, next: isFull ? pageUrl(url, { limit, start: last + 1 }) : null, previous: null, results };
}
