import { isHealthCheckRequest } from '@switchboard/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RealmByHostCache } from './realm-hosts.js';
import type { ChatConfig } from '../../config.js';
import { chatErrors } from '../../errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Scheme, host and port that links to the request's realm begin with. Empty for health checks. */
    publicOrigin: string;
  }
}

/**
 * Determines the origin of links in responses, pages and emails. The origin is the realm's configured URL, else in
 * production `https://` and the realm's host, else the origin of the request. In production a request for an unknown
 * host is rejected, so that no link contains an arbitrary Host header.
 *
 * Requests with any path to a deactivated realm are rejected.
 *
 * @throws ApplicationError NONEXISTENT_SUBDOMAIN or REALM_DEACTIVATED from the request hook
 */
export function setPublicOrigins(
  fastify: FastifyInstance,
  sites: Pick<RealmByHostCache, 'find'>,
  config: Pick<ChatConfig, 'NODE_ENV' | 'HOST_ALIASES'>,
): void {
  const aliases = new Set(config.HOST_ALIASES.map((alias) => alias.toLowerCase()));
  fastify.decorateRequest('publicOrigin', '');
  fastify.addHook('onRequest', async (request) => {
    if (isHealthCheckRequest(request)) return;
    const host = request.hostname.toLowerCase();
    const site = await sites.find(host);
    if (site?.isDeactivated === true) throw chatErrors.create('REALM_DEACTIVATED');
    if (config.NODE_ENV !== 'production') {
      request.publicOrigin = site?.publicUrl ?? getRequestedOrigin(request);
      return;
    }
    if (site?.host !== host && !aliases.has(host)) throw chatErrors.create('NONEXISTENT_SUBDOMAIN');
    request.publicOrigin = site?.publicUrl ?? `https://${site?.host ?? host}`;
  });
}

/** Returns the origin (scheme, host and port) of a request's URL. Omits the default port of the scheme. */
function getRequestedOrigin(request: FastifyRequest): string {
  const impliedPort = request.protocol === 'https' ? /:443$/ : /:80$/;
  return `${request.protocol}://${request.host.replace(impliedPort, '')}`;
}
