import type { FastifyInstance } from 'fastify';

const protocolHeader = 'x-forwarded-proto';

/**
 * Removes `X-Forwarded-Proto` headers of requests if their value is neither http nor https, so that links in a response
 * cannot get another scheme. Without the header, links have the scheme of the connection. If the header has several
 * values, the last value is used, because the nearest proxy has added it.
 */
export function checkForwardedProtocol(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    const sent = headers[protocolHeader];
    if (sent !== undefined) {
      const last = String(sent).split(',').at(-1)?.trim().toLowerCase();
      if (last === 'http' || last === 'https') headers[protocolHeader] = last;
      else delete headers[protocolHeader];
    }
    done();
  });
}
