import type { FastifyRequest } from 'fastify';

/** Scheme and host that the client used, proxies that are trusted counted in; safe inside JSON and headers. */
export function baseOf(request: FastifyRequest): string {
  const host = /^[A-Za-z0-9.:[\]_-]+$/.test(request.host) ? request.host : 'localhost';
  // The port that the scheme implies is left out, as in the links that URL builds.
  const implied = request.protocol === 'https' ? /:443$/ : /:80$/;
  return `${request.protocol}://${host.replace(implied, '')}`;
}

/** Path and query of a request. */
export function addressOf(request: FastifyRequest): { path: string; query: URLSearchParams } {
  const [path, query] = splitOnce(request.url, '?');
  return { path, query: new URLSearchParams(query) };
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
