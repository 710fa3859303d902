import type { FastifyRequest } from 'fastify';

/** Returns scheme, host and port of a request in the form of the header `Origin`. */
export function getOriginOfRequest({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  // Browsers omit the default port of the scheme.
  return `${protocol}://${host.replace(protocol === 'https' ? /:443$/ : /:80$/, '')}`;
}

/**
 * Returns true if a browser sends a request from a page of the origin, by the headers `Origin` and `Sec-Fetch-Site`.
 * The script of the board sends no CSRF token. Other sites cannot set these headers. Returns false for a request with
 * neither header.
 */
export function isSameOriginRequest(headers: FastifyRequest['headers'], ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  const isSame = origin === undefined ? site === 'same-origin' : origin === ownOrigin;
  return isSame && (site === undefined || site === 'same-origin');
}
