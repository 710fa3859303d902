import { type CursorConflict, offsetPage, pageQuery, pageUrl } from '@switchboard/pagination';
import { errors } from '../../errors.js';

/** Limits of the service. */
export interface PageLimits {
  /** Rows of a page when the client names no number. */
  readonly defaultSize: number;
  /** Most rows of a page; null when clients may take everything. */
  readonly largest: number | null;
}

/** The requested part of a list. */
export type Page =
  | { readonly kind: 'offset'; readonly limit: number; readonly offset: number }
  | { readonly kind: 'cursor'; readonly limit: number; readonly start: number };

const unlimited = Number.MAX_SAFE_INTEGER;

const conflictTexts: Readonly<Record<CursorConflict, string>> = {
  invalid_start: "Invalid 'start' parameter: must be a non-negative integer.",
  start_with_offset: "'start' and 'offset' are mutually exclusive.",
  start_with_ordering: 'Ordering cannot be specified in conjunction with cursor-based pagination.',
};

/** Reads `limit`, `offset` and `start` of lists (docs/contract/inventory.md 1.7). */
export class Paging {
  readonly #query: ReturnType<typeof pageQuery>;

  constructor({ defaultSize, largest }: PageLimits) {
    this.#query = pageQuery({ defaultLimit: defaultSize, maxLimit: largest ?? unlimited });
  }

  /** @throws AppError VALIDATION_FAILED, a bare list, when `start` is malformed or meets `offset` or `ordering` */
  read(query: URLSearchParams): Page {
    const given = Object.fromEntries(
      ['start', 'limit', 'offset', 'ordering'].flatMap((name) => (query.has(name) ? [[name, query.getAll(name)]] : [])),
    );
    const page = this.#query.parse(given);
    if (page.kind !== 'conflict') return page;
    throw errors.create('VALIDATION_FAILED', { fields: { body: [conflictTexts[page.conflict]] } });
  }
}

/** Returns true if a page has no limit, and so ends the list. */
export function isUnlimited({ limit }: Page): boolean {
  return limit === unlimited;
}

/** Facts about a page that a statement found. */
export interface PageFacts {
  readonly count: number;
  /** Rows on this page. */
  readonly rows: number;
  readonly lastId: number | null;
}

/** The JSON around the rows of a page. */
export interface PageFrame {
  readonly count: number | null;
  readonly next: string | null;
  readonly previous: string | null;
}

/**
 * Count and neighbours of a page. The last page by id that is exactly full has a next one, which is empty.
 *
 * @param url the absolute URL of the request
 */
export function pageFrame(url: string, page: Page, { count, rows, lastId }: PageFacts): PageFrame {
  if (page.kind === 'offset') return offsetPage(url, page, count, null);
  const next = rows < page.limit || lastId === null ? null : pageUrl(url, { limit: page.limit, start: lastId + 1 });
  return { count: null, next, previous: null };
}
