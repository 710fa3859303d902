import type { FastifyRequest } from 'fastify';

/** URL paths under `/json` whose endpoint does not exist under `/api/v1` or behaves differently under `/api/v1`. */
const sessionOnlyPaths: ReadonlySet<string> = new Set(['/json/fetch_api_key']);

const trailingSlashPattern = /(?<=[^/])\/(?=$|\?)/;

/**
 * Rewrites a URL `/json/...` to the URL of the same endpoint under `/api/v1/...` (docs/contract/chat.md 1.1).
 * {@link isSessionRequest} recognizes session requests by the original path in `request.originalUrl`. Removes a
 * trailing slash from the URLs of web pages.
 */
export function rewriteSessionUrl(sent: string): string {
  // Clients create uploads at a path with a trailing slash.
  const url = sent.replace(/^(\/(?:api\/v1|json)\/tus)\/(?=$|\?)/, '$1');
  if (!url.startsWith('/json/')) return url.startsWith('/api/') ? url : url.replace(trailingSlashPattern, '');
  const [path = ''] = url.split('?', 1);
  return sessionOnlyPaths.has(path) ? url : `/api/v1/${url.slice('/json/'.length)}`;
}

/** Returns true for a request under `/json`, which needs a browser session and accepts no API key. */
export function isSessionRequest(request: Pick<FastifyRequest, 'originalUrl'>): boolean {
  return request.originalUrl.startsWith('/json/');
}

/**
 * Returns true for a request about a resumable upload. Requests about uploads need an API key or a browser session.
 * Both kinds of credentials work with paths under `/api/v1` and `/json`.
 */
export function isResumableUpload(request: Pick<FastifyRequest, 'originalUrl'>): boolean {
  return /^\/(?:api\/v1|json)\/tus(?=[/?]|$)/.test(request.originalUrl);
}

/** Returns true for a request under `/api`, which needs an API key and accepts no browser session. */
export function isApiRequest(request: Pick<FastifyRequest, 'originalUrl'>): boolean {
  return request.originalUrl.startsWith('/api/');
}
