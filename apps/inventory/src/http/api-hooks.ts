import { ApplicationError } from '@switchboard/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { compatibleApiVersion } from '../inventory-version.js';
import { inventoryErrors } from '../errors.js';
import { getRequestPathAndQuery } from './request-urls.js';
import type { ApiPaths } from './api-paths.js';
import { registerUnparsedBodies } from './request-body.js';
import { negotiateResponseFormat } from './negotiate-response-format.js';

const staticAssetsPath = '/api/schema/assets/';

/**
 * Registers the Fastify hooks for all paths below `/api/` (docs/contract/inventory.md 1.1): The hooks add headers to
 * each response, handle the trailing slash of paths, and delay parsing of bodies until after authentication.
 */
export function registerApiHooks(
  fastify: FastifyInstance,
  api: ApiPaths,
  { largestForm }: { readonly largestForm: number },
): void {
  registerUnparsedBodies(fastify, largestForm);
  registerLoginRedirect(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    const { path } = getRequestPathAndQuery(request);
    if (path !== '/api' && !path.startsWith('/api/')) return done();
    reply.headers(createApiResponseHeaders(path, api));
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

/**
 * Returns the HTTP headers that each response below `/api/` has: version, `Vary` and the allowed methods of the path.
 */
export function createApiResponseHeaders(
  path: string,
  api: ApiPaths,
): Readonly<Record<'api-version' | 'vary' | 'allow', string>> {
  return {
    'api-version': compatibleApiVersion,
    vary: 'Accept, Authorization, Cookie, Origin',
    allow: api.getAllowedMethods(path).join(', '),
  };
}

/** Response body, as JSON text, of the error NOT_AUTHENTICATED. */
const notAuthenticatedResponseBody = JSON.stringify({ detail: inventoryErrors.create('NOT_AUTHENTICATED').message });

/**
 * Registers a redirect of browsers without a session to the login page. After login, the browser is redirected back to
 * the requested page. Other clients get the error response.
 */
function registerLoginRedirect(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { path, query } = getRequestPathAndQuery(request);
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
    return headers.authorization === undefined && negotiateResponseFormat(headers.accept, query).asPage;
  } catch (error) {
    if (error instanceof ApplicationError) return false;
    throw error;
  }
}
