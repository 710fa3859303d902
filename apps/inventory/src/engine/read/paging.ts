import { errors } from '../../errors.js';

/** Limits of the service. */
export interface PageLimits {
  /** Rows of a page when the client names no number. */
  readonly defaultSize: number;
  /** Most rows of a page; null when clients may take everything. */
  readonly largest: number | null;
}

/** Which part of a list is wanted. */
export type Page =
  | { readonly mode: 'offset'; readonly limit: number | null; readonly offset: number }
  | { readonly mode: 'cursor'; readonly limit: number | null; readonly start: string };

/**
 * Reads `limit`, `offset` and `start` (contract 1.7). Values that make no sense count as absent, except for `start`.
 *
 * @throws AppError VALIDATION_FAILED, a bare list, when `start` is malformed or meets `offset` or `ordering`
 */
export function readPage(query: URLSearchParams, limits: PageLimits): Page {
  const limit = readLimit(query.get('limit'), limits);
  const start = query.get('start');
  if (start === null) return { mode: 'offset', limit, offset: readCount(query.get('offset')) ?? 0 };
  if (query.has('offset')) throw conflict("'start' and 'offset' are mutually exclusive.");
  if (query.has('ordering')) throw conflict('Ordering cannot be specified in conjunction with cursor-based pagination.');
  if (!/^\d{1,18}$/.test(start)) throw conflict("Invalid 'start' parameter: must be a non-negative integer.");
  return { mode: 'cursor', limit, start };
}

function readLimit(given: string | null, { defaultSize, largest }: PageLimits): number | null {
  const wanted = readCount(given);
  if (wanted === 0) return largest;
  return Math.min(wanted ?? defaultSize, largest ?? Number.MAX_SAFE_INTEGER);
}

function readCount(given: string | null): number | null {
  if (given === null || !/^\s*\d{1,15}\s*$/.test(given)) return null;
  return Number(given);
}

function conflict(message: string): Error {
  return errors.create('VALIDATION_FAILED', { fields: { body: [message] } });
}

/** What a statement found out about its page. */
export interface PageFacts {
  readonly count: number;
  /** Rows on this page. */
  readonly rows: number;
  readonly lastId: number | null;
}

/** `next` and `previous` of a list, absolute. */
export interface PageLinks {
  readonly next: string | null;
  readonly previous: string | null;
}

/**
 * The neighbours of a page: the same query, parameters sorted by name, `limit` always present.
 *
 * @param address scheme, host and path of the list
 */
export function pageLinks(address: string, query: URLSearchParams, page: Page, facts: PageFacts): PageLinks {
  const { limit } = page;
  if (limit === null) return { next: null, previous: null };
  const link = (changes: Record<string, string | null>): string => {
    const changed = new URLSearchParams(query);
    changed.set('limit', String(limit));
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) changed.delete(name);
      else changed.set(name, value);
    }
    changed.sort();
    return `${address}?${changed.toString()}`;
  };
  if (page.mode === 'cursor') {
    const full = facts.rows === limit && facts.lastId !== null;
    return { next: full ? link({ start: String((facts.lastId ?? 0) + 1) }) : null, previous: null };
  }
  const { offset } = page;
  const before = offset - limit;
  return {
    next: offset + limit < facts.count ? link({ offset: String(offset + limit) }) : null,
    previous: offset > 0 ? link({ offset: before > 0 ? String(before) : null }) : null,
  };
}
