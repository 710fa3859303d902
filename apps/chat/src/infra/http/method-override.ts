import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FormBody } from './raw-parameters.js';

const overridingHttpMethods = ['GET', 'PUT', 'PATCH', 'DELETE'] as const;
type OverridingHttpMethod = (typeof overridingHttpMethods)[number];

/**
 * Names of headers that describe the original body of a request. The headers must not be copied to the replacement
 * request.
 */
const requestBodyHeaders: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'content-type',
  'expect',
]);

/**
 * Treats a POST request with a form field `method=PATCH` (or PUT, DELETE, GET) as a request with the named method
 * (docs/contract/chat.md 1.1). The feature supports clients that can only send POST. The request is routed again.
 */
export function overrideHttpMethodOfRequest(fastify: FastifyInstance): void {
  fastify.addHook('preHandler', async (request, reply) => {
    const verb = getOverridingMethod(request);
    if (verb === undefined || !(request.body instanceof FormBody)) return undefined;
    const fields = new URLSearchParams([...request.body.fields].filter(([name]) => name !== 'method'));
    const response = await fastify.inject({
      method: verb,
      url: verb === 'GET' ? appendQueryToUrl(request.originalUrl, fields) : request.originalUrl,
      headers: {
        ...Object.fromEntries(Object.entries(request.headers).filter(([name]) => !requestBodyHeaders.has(name))),
        ...(verb === 'GET' ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      remoteAddress: request.ip,
      ...(verb === 'GET' ? {} : { payload: fields.toString() }),
    });
    const {
      'content-length': _length,
      'transfer-encoding': _encoding,
      connection: _connection,
      ...headers
    } = response.headers;
    return reply.code(response.statusCode).headers(headers).send(response.rawPayload);
  });
}

function getOverridingMethod(request: FastifyRequest): OverridingHttpMethod | undefined {
  if (request.method !== 'POST' || !(request.body instanceof FormBody)) return undefined;
  const method = request.body.fields.get('method')?.toUpperCase();
  return overridingHttpMethods.find((verb) => verb === method);
}

function appendQueryToUrl(url: string, fields: URLSearchParams): string {
  return fields.size === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${fields.toString()}`;
}
