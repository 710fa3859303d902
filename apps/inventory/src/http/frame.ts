import { AppError } from '@switchboard/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Registry } from '../engine/declaration/registry.js';
import { apiVersion } from '../version.js';
import { preferencesMethods } from '../modules/preferences/preferences-paths.js';
import { backgroundMethods } from '../modules/background/background-paths.js';
import { errors } from '../errors.js';
import { addressOf } from './addresses.js';
import { keepBodiesUnread } from './body.js';
import { negotiate } from './negotiation.js';

const detailPath = /^\/api\/([a-z-]+\/[a-z0-9-]+)\/([^/]+)\/$/;
const provisionPath = '/api/users/tokens/provision/';
const allocationPath = /^\/api\/ipam\/[a-z-]+\/[^/]+\/available-(ips|prefixes|asns|vlans)\/$/;
/** Paths of configurations, which may be had as bare text. */
export const renderPath =
  /^\/api\/(dcim\/devices|virtualization\/virtual-machines)\/[^/]+\/render-config\/?$|^\/api\/extras\/config-templates\/[^/]+\/render\/?$/;
const requeuePath = /^\/api\/extras\/webhook-deliveries\/([^/]+\/)?requeue\/$/;
const assetsPath = '/api/schema/assets/';
const listPath = /^\/api\/([a-z-]+\/[a-z0-9-]+)\/$/;

/**
 * Registers the hooks of every path below `/api/` (docs/contract/inventory.md 1.1): headers of each response, paths
 * that end in a slash, bodies that are read only after the sender is known.
 */
export function frameApi(
  fastify: FastifyInstance,
  registry: Registry,
  { largestForm }: { readonly largestForm: number },
): void {
  keepBodiesUnread(fastify, largestForm);
  leadToLogin(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    const { path } = addressOf(request);
    if (path !== '/api' && !path.startsWith('/api/')) return done();
    reply.headers(apiHeaders(path, registry));
    // Files are called what they are called.
    if (path.endsWith('/') || path.startsWith(assetsPath)) return done();
    // A redirect would lose the body of anything but a read.
    if (request.method === 'GET' || request.method === 'HEAD') {
      reply.redirect(`${path}/${request.url.slice(path.length)}`, 301);
    } else {
      reply.code(404).send({ detail: 'Not found.' });
    }
  });
}

/** Headers of each response of a path below `/api/`. */
export function apiHeaders(path: string, registry: Registry): Readonly<Record<string, string>> {
  return {
    'api-version': apiVersion,
    vary: 'Accept, Authorization, Cookie, Origin',
    allow: allowedMethods(path, registry).join(', '),
  };
}

/** The body of the error NOT_AUTHENTICATED. */
const notAuthenticated = JSON.stringify({ detail: errors.create('NOT_AUTHENTICATED').message });

/** Leads browsers without a session to the login page, and back from there; programs get the error. */
function leadToLogin(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { path, query } = addressOf(request);
    const isRefused = reply.statusCode === 403 && payload === notAuthenticated;
    if (!isRefused || request.method !== 'GET' || !path.startsWith('/api/') || !wantsPage(request, query)) {
      return done(null, payload);
    }
    reply
      .code(302)
      .removeHeader('content-type')
      .header('location', `/login/?next=${encodeURIComponent(request.url)}`);
    done(null, '');
  });
}

function wantsPage({ headers }: FastifyRequest, query: URLSearchParams): boolean {
  try {
    return headers.authorization === undefined && negotiate(headers.accept, query).asPage;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** The methods that a path takes. */
export function allowedMethods(path: string, registry: Registry): readonly string[] {
  // It looks like one token, and is not.
  if (path === provisionPath || renderPath.test(path) || requeuePath.test(path)) return ['OPTIONS', 'POST'];
  const own = preferencesMethods[path] ?? backgroundMethods(path);
  if (own !== undefined) return own;
  if (allocationPath.test(path)) return ['GET', 'HEAD', 'OPTIONS', 'POST'];
  const list = registry.findByPath(listPath.exec(path)?.[1] ?? '');
  if (list !== null) return list.methods.list;
  const detail = registry.findByPath(detailPath.exec(path)?.[1] ?? '');
  if (detail !== null) return detail.methods.detail;
  return ['GET', 'HEAD', 'OPTIONS'];
}
