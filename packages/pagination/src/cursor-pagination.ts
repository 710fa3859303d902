import { z } from 'zod';
import {
  toPageSize,
  assertPageSizeLimits,
  limitParameterSchema,
  type ListPageBody,
  offsetParameterSchema,
  type PageSizeLimits,
} from './offset-pagination.js';
import { createPageUrl } from './page-url.js';
import { getLastQueryValue, parseNonNegativeInteger, queryValueSchema } from './parse-query-value.js';

/** Query parameters of a page by id: rows with ids greater than or equal to `start`, in ascending order of the ids. */
export interface CursorPageQuery {
  readonly start: number;
  /** Maximum number of rows on the page, 1 to `maxLimit`. */
  readonly limit: number;
}

/**
 * Reason why the request for a page by id is rejected: `start` is not a non-negative integer, or is combined with
 * `offset` or `ordering`.
 */
export type CursorQueryConflict = 'invalid_start' | 'start_with_offset' | 'start_with_ordering';

/**
 * Result of parsing a query string: a page by id, or a conflict. Conflicts are returned and not thrown, because each
 * app uses different error texts.
 */
export type CursorQueryResult =
  | ({ readonly kind: 'cursor' } & CursorPageQuery)
  | { readonly kind: 'conflict'; readonly conflict: CursorQueryConflict };

/** Page that a query string requests: by position (`offset`) or by id (`cursor`). */
export type RequestedPage =
  | { readonly kind: 'offset'; readonly limit: number; readonly offset: number }
  | CursorQueryResult;

const startParameterSchema = queryValueSchema.meta({
  description: 'Smallest id of the page; rows then come in the order of their ids and are not counted.',
  override: { type: 'integer', minimum: 0 },
});

const orderingParameterSchema = queryValueSchema.meta({
  description: 'Names to order by, separated by commas; a minus reverses one.',
  override: { type: 'string' },
});

const cursorParametersSchema = z.object({
  start: startParameterSchema,
  limit: limitParameterSchema,
  offset: offsetParameterSchema,
  ordering: orderingParameterSchema,
});

function toCursorQueryResult(
  parameters: z.output<typeof cursorParametersSchema>,
  bounds: PageSizeLimits,
): CursorQueryResult {
  const start = parseNonNegativeInteger(getLastQueryValue(parameters.start));
  if (start === undefined) return { kind: 'conflict', conflict: 'invalid_start' };
  if (parameters.offset !== undefined) return { kind: 'conflict', conflict: 'start_with_offset' };
  if (getLastQueryValue(parameters.ordering)) return { kind: 'conflict', conflict: 'start_with_ordering' };
  return { kind: 'cursor', start, limit: toPageSize(getLastQueryValue(parameters.limit), bounds) };
}

/**
 * Returns the zod schema of a query string that must page by id (docs/contract/inventory.md 1.7). A missing `start`
 * causes the conflict `invalid_start`.
 */
export function createCursorQuerySchema(bounds: PageSizeLimits) {
  assertPageSizeLimits(bounds);
  return cursorParametersSchema.transform((parameters): CursorQueryResult => toCursorQueryResult(parameters, bounds));
}

/**
 * Returns the zod schema of a list's query string. The parsed page is a page by id if `start` is given, otherwise a
 * page by position.
 */
export function createPageQuerySchema(bounds: PageSizeLimits) {
  assertPageSizeLimits(bounds);
  return cursorParametersSchema.transform((parameters): RequestedPage => {
    if (parameters.start !== undefined) return toCursorQueryResult(parameters, bounds);
    const limit = toPageSize(getLastQueryValue(parameters.limit), bounds);
    return { kind: 'offset', limit, offset: parseNonNegativeInteger(getLastQueryValue(parameters.offset)) ?? 0 };
  });
}

/**
 * Returns the response body of a page by id (docs/contract/inventory.md 1.7). A full page has a link to a next page.
 * The next page may be empty, because a check would need to read one more row.
 *
 * @param url absolute URL of the request, in the form that the client uses
 * @param ids ids of the page's rows in ascending order
 */
export function createCursorPage<R>(
  url: string,
  { limit }: CursorPageQuery,
  ids: readonly number[],
  results: R,
): ListPageBody<R> {
  const last = ids.at(-1);
  const isFull = last !== undefined && ids.length >= limit;
  return { count: null, next: isFull ? createPageUrl(url, { limit, start: last + 1 }) : null, previous: null, results };
}
