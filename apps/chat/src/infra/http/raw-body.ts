import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if the handler needs the unparsed bytes of the request body, see {@link RawBody}. */
    takesRawBody?: boolean;
  }
}

/** A request body that was not parsed, because its signature is computed over its bytes. */
export class RawBody {
  /** @param contentType The `Content-Type` header, empty if the request has none. */
  constructor(
    readonly bytes: Buffer,
    readonly contentType: string,
  ) {}
}

/** Returns the unparsed body if the handler of the request needs it, otherwise undefined. */
export function getRawBody(request: FastifyRequest, body: string | Buffer): RawBody | undefined {
  if (request.routeOptions.config.takesRawBody !== true) return undefined;
  return new RawBody(Buffer.from(body), request.headers['content-type'] ?? '');
}
