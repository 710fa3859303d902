import type { FastifyRequest } from 'fastify';
import { inventoryErrors } from '../errors.js';

/**
 * Returns the scheme and host that the client used for the request. Takes them from forwarding headers if the proxy is
 * trusted. The result contains only characters that are safe in JSON and headers.
 */
export function getRequestUrlBase(request: FastifyRequest): string {
  const host = /^[A-Za-z0-9.:[\]_-]+$/.test(request.host) ? request.host : 'localhost';
  // The default port of the scheme is omitted, as in links built by URL.
  const implied = request.protocol === 'https' ? /:443$/ : /:80$/;
  return `${request.protocol}://${host.replace(implied, '')}`;
}

/** Returns the path and the query parameters of a request. */
export function getRequestPathAndQuery(request: FastifyRequest): { path: string; query: URLSearchParams } {
  const [path, query] = splitAtFirstSeparator(request.url, '?');
  return { path, query: new URLSearchParams(query) };
}

/**
 * Returns the id in the path of a request, without leading zeros. Returns 0, which no object has, for an id that is too
 * long.
 *
 * @throws ApplicationError NOT_FOUND if the id is not a number
 */
export function parseObjectIdInPath(text: string): string {
  if (!/^\d+$/.test(text)) throw inventoryErrors.create('NOT_FOUND');
  return text.length > 18 ? '0' : String(BigInt(text));
}

function splitAtFirstSeparator(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
