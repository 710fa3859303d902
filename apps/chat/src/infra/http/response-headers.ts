import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isApiRequest, isSessionRequest } from './browser-session-routes.js';

/**
 * Response headers that forbid caching, because API responses are specific to a user and soon outdated
 * (docs/contract/chat.md 1.4).
 */
const privateResponseHeaders = {
  'cache-control': 'max-age=0, no-cache, no-store, must-revalidate, private',
  vary: 'Accept-Language, Cookie',
} as const;

const apiHeaders = {
  ...privateResponseHeaders,
  // Browser clients authenticate by API key. Without cookies, pages of other sites gain nothing from this header.
  'access-control-allow-origin': '*',
} as const;

const preflightHeaders = {
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
} as const;

/** Returns the headers of a successful API response that is written without Fastify, such as a stream of events. */
export function createApiHeaders(request: Pick<FastifyRequest, 'originalUrl'>): Readonly<Record<string, string>> {
  return isSessionRequest(request) ? privateResponseHeaders : apiHeaders;
}

/**
 * Adds the common headers to all API responses under `/api` and `/json`. This includes responses to errors that occur
 * outside of handlers.
 */
export function addApiHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (request, reply) => {
    if (isSessionRequest(request)) {
      reply.headers(privateResponseHeaders);
      if (reply.statusCode === 401) reply.header('www-authenticate', 'Session realm="zulip"');
      return;
    }
    if (!isApiRequest(request)) return;
    reply.headers(apiHeaders);
    if (request.method === 'OPTIONS') reply.headers(preflightHeaders);
  });
}
