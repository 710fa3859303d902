import { AppError } from '@switchboard/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { compatibleApiVersion } from '../inventory-version.js';
import { inventoryErrors } from '../errors.js';
import { getPathAndQuery } from './request-urls.js';
import type { ApiPaths } from './api-paths.js';
import { registerUnparsedBodies } from './request-body.js';
import { negotiateFormat } from './negotiate-response-format.js';

const staticAssetsPath = '/api/schema/assets/';

/**
 * Registers the Fastify hooks for all paths below `/api/` (docs/contract/inventory.md 1.1): headers of each response, a
 * trailing slash in paths, and bodies that are parsed only after authentication.
 */
export function registerApiHooks(
  fastify: FastifyInstance,
  api: ApiPaths,
  { largestForm }: { readonly largestForm: number },
): void {
  registerUnparsedBodies(fastify, largestForm);
  redirectToLogin(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    const { path } = getPathAndQuery(request);
    if (path !== '/api' && !path.startsWith('/api/')) return done();
    reply.headers(apiHeaders(path, api));
    // File names have no trailing slash.
    if (path.endsWith('/') || path.startsWith(staticAssetsPath)) return done();
    // Only reads are redirected, because a redirect would lose the body of other requests.
    if (request.method === 'GET' || request.method === 'HEAD') {
      reply.redirect(`${path}/${request.url.slice(path.length)}`, 301);
    } else {
      reply.code(404).send({ detail: 'Not found.' });
    }
  });
}

/** Returns the headers of each response of a path below `/api/`. */
export function apiHeaders(path: string, api: ApiPaths): Readonly<Record<'api-version' | 'vary' | 'allow', string>> {
  return {
    'api-version': compatibleApiVersion,
    vary: 'Accept, Authorization, Cookie, Origin',
    allow: api.getAllowedMethods(path).join(', '),
  };
}

/** Response body of the error NOT_AUTHENTICATED. */
const notAuthenticatedResponseBody = JSON.stringify({ detail: inventoryErrors.create('NOT_AUTHENTICATED').message });

/**
 * Redirects browsers without a session to the login page, which redirects back after login. Other clients get the error
 * response.
 */
function redirectToLogin(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { path, query } = getPathAndQuery(request);
    const isRefused = reply.statusCode === 403 && payload === notAuthenticatedResponseBody;
    if (!isRefused || request.method !== 'GET' || !path.startsWith('/api/') || !acceptsHtmlPage(request, query)) {
      return done(null, payload);
    }
    reply
      .code(302)
      .removeHeader('content-type')
      .header('location', `/login/?next=${encodeURIComponent(request.url)}`);
    done(null, '');
  });
}

function acceptsHtmlPage({ headers }: FastifyRequest, query: URLSearchParams): boolean {
  try {
    return headers.authorization === undefined && negotiateFormat(headers.accept, query).asPage;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
