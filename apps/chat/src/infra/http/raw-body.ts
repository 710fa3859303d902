import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if the route handler needs the unparsed bytes of the request body, see {@link UnparsedRequestBody}. */
    takesRawBody?: boolean;
  }
}

/** An unparsed request body. The bytes are needed to verify a signature of the body. */
export class UnparsedRequestBody {
  /** @param contentType The `Content-Type` header, empty if the request has none. */
  constructor(
    readonly bytes: Buffer,
    readonly contentType: string,
  ) {}
}

/** Returns the unparsed request body if the handler of the request needs the bytes, otherwise undefined. */
export function getUnparsedRequestBody(
  request: FastifyRequest,
  body: string | Buffer,
): UnparsedRequestBody | undefined {
  if (request.routeOptions.config.takesRawBody !== true) return undefined;
  return new UnparsedRequestBody(Buffer.from(body), request.headers['content-type'] ?? '');
}
