import {
  type CursorQueryConflict,
  createOffsetPage,
  createPageQuerySchema,
  createPageUrl,
} from '@switchboard/pagination';
import { inventoryErrors } from '../../errors.js';

/** Default and maximum page size of lists, in rows. */
export interface ListPageSizeLimits {
  /** Page size, in rows, for requests that do not contain a page size. */
  readonly defaultSize: number;
  /** Maximum page size; null if clients may read all rows at once. */
  readonly largest: number | null;
}

/** Requested page of a list. The page starts at an offset, or at the first object whose id is at least `start`. */
export type RequestedListPage =
  | { readonly kind: 'offset'; readonly limit: number; readonly offset: number }
  | { readonly kind: 'cursor'; readonly limit: number; readonly start: number };

const unlimitedPageSize = Number.MAX_SAFE_INTEGER;

const invalidStartParameterMessages: Readonly<Record<CursorQueryConflict, string>> = {
  invalid_start: "Invalid 'start' parameter: must be a non-negative integer.",
  start_with_offset: "'start' and 'offset' are mutually exclusive.",
  start_with_ordering: 'Ordering cannot be specified in conjunction with cursor-based pagination.',
};

/** Parses the query parameters `limit`, `offset` and `start` of lists (docs/contract/inventory.md 1.7). */
export class ListPagingParser {
  readonly #query: ReturnType<typeof createPageQuerySchema>;

  constructor({ defaultSize, largest }: ListPageSizeLimits) {
    this.#query = createPageQuerySchema({ defaultLimit: defaultSize, maxLimit: largest ?? unlimitedPageSize });
  }

  /**
   * Parses the query parameter `start`.
   *
   * @throws ApplicationError VALIDATION_FAILED with a plain list of messages, if `start` is invalid or combined with `offset`
   * or `ordering`
   */
  parsePagingParameters(query: URLSearchParams): RequestedListPage {
    const given = Object.fromEntries(
      ['start', 'limit', 'offset', 'ordering'].flatMap((name) => (query.has(name) ? [[name, query.getAll(name)]] : [])),
    );
    const page = this.#query.parse(given);
    if (page.kind !== 'conflict') return page;
    throw inventoryErrors.create('VALIDATION_FAILED', {
      fields: { body: [invalidStartParameterMessages[page.conflict]] },
    });
  }
}

/** Returns true if the request of a page contains no limit on the number of rows. */
export function isUnlimitedPage({ limit }: RequestedListPage): boolean {
  return limit === unlimitedPageSize;
}

/** Counts that an SQL statement returns in addition to the objects of a page. */
export interface ListPageCounts {
  readonly count: number;
  /** Number of rows on the page. */
  readonly rows: number;
  readonly lastId: number | null;
}

/** Members of a list response other than `results`: `count`, `next` and `previous`. */
export interface ListPageCountAndLinks {
  readonly count: number | null;
  readonly next: string | null;
  readonly previous: string | null;
}

/**
 * Returns the count of a list, and the links to the next and previous page. If a page begins at an id, the response has
 * a link to the next page whenever the page is full. Therefore the last page may be empty.
 *
 * @param url absolute URL of the request
 */
export function createPageLinks(
  url: string,
  page: RequestedListPage,
  { count, rows, lastId }: ListPageCounts,
): ListPageCountAndLinks {
  if (page.kind === 'offset') {
    const { next, previous } = createOffsetPage(url, page, count, null);
    return { count, next, previous };
  }
  const next =
    rows < page.limit || lastId === null ? null : createPageUrl(url, { limit: page.limit, start: lastId + 1 });
  return { count: null, next, previous: null };
}

/**
 * Returns the items of one page of a list in memory, with the count and links of the page. The ids of items are their
 * positions in the list.
 *
 * @param url absolute URL of the request
 */
export function paginateList<Item>(
  url: string,
  page: RequestedListPage,
  items: readonly Item[],
): { readonly shown: readonly Item[]; readonly frame: ListPageCountAndLinks } {
  const from = page.kind === 'offset' ? page.offset : page.start;
  const shown = items.slice(from, from + page.limit);
  const lastId = shown.length === 0 ? null : from + shown.length - 1;
  return { shown, frame: createPageLinks(url, page, { count: items.length, rows: shown.length, lastId }) };
}
