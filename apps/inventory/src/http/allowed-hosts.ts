import { isHealthCheckRequest } from '@switchboard/platform';
import type { FastifyInstance } from 'fastify';
import { inventoryErrors } from '../errors.js';

/**
 * Rejects requests whose `Host` is not in the list of allowed hosts, because URLs in responses contain the host
 * (docs/contract/inventory.md 1.1). Health checks accept any host.
 *
 * @param allowed host names; `*` for any, `.example.com` for a domain and its subdomains
 * @throws ApplicationError BAD_REQUEST from the hook
 */
export function registerHostCheck(fastify: FastifyInstance, allowed: readonly string[]): void {
  const patterns = allowed.map((pattern) => pattern.toLowerCase());
  if (patterns.includes('*')) return;
  fastify.addHook('onRequest', (request, _reply, done) => {
    const host = request.hostname.toLowerCase();
    if (isHealthCheckRequest(request) || patterns.some((pattern) => matchesAllowedHost(host, pattern))) done();
    else done(inventoryErrors.create('BAD_REQUEST', { message: 'Invalid HTTP_HOST header.' }));
  });
}

function matchesAllowedHost(host: string, pattern: string): boolean {
  return host === pattern || (pattern.startsWith('.') && `.${host}`.endsWith(pattern));
}
