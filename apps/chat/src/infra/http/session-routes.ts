import type { FastifyRequest } from 'fastify';

/** Paths under `/json` that have no twin under `/api/v1`, or another meaning there. */
const ownPaths: ReadonlySet<string> = new Set(['/json/fetch_api_key']);

const endSlash = /(?<=[^/])\/(?=$|\?)/;

/**
 * Routes `/json/...` to the handlers of `/api/v1/...` (docs/contract/chat.md 1.1). `request.originalUrl` has the
 * original path, by which {@link isSessionRequest} recognizes session requests. Pages work with and without a trailing
 * slash.
 */
export function rewriteSessionUrl(url: string): string {
  if (!url.startsWith('/json/')) return url.startsWith('/api/') ? url : url.replace(endSlash, '');
  const [path = ''] = url.split('?', 1);
  return ownPaths.has(path) ? url : `/api/v1/${url.slice('/json/'.length)}`;
}

/** Whether a request came under `/json`: signed by a session, and never by an API key. */
export function isSessionRequest(request: Pick<FastifyRequest, 'originalUrl'>): boolean {
  return request.originalUrl.startsWith('/json/');
}

/** Whether a request came under `/api`: signed by an API key, and never by a session. */
export function isApiRequest(request: Pick<FastifyRequest, 'originalUrl'>): boolean {
  return request.originalUrl.startsWith('/api/');
}
