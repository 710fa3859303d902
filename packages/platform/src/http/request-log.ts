import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestContext, type RequestContext } from '../logging/request-context.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What code that serves this request sees as its context. */
    serviceContext: RequestContext;
  }
  interface FastifyContextConfig {
    /** A probe of the platform: logged at debug level, because it is asked for every few seconds. */
    probe?: boolean;
  }
}

/** W3C Trace Context section 3.2.2, version 00: no id may be all zeros. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** One request's context; its logger is made when first used, since most requests log nothing of their own. */
class ServiceRequestContext implements RequestContext {
  readonly traceparent?: string;
  #log: Logger | undefined;

  constructor(
    readonly requestId: string,
    traceparent: string | undefined,
    private readonly logger: Logger,
  ) {
    if (traceparent !== undefined) {
      this.traceparent = traceparent;
    }
  }

  get log(): Logger {
    const traceId = this.traceparent?.slice(3, 35);
    this.#log ??= this.logger.child({ requestId: this.requestId, ...(traceId !== undefined && { traceId }) });
    return this.#log;
  }
}

/**
 * Gives every request its context, its id header, one log line and one observation in the metrics.
 * The line tells method, route pattern, status and duration; neither bodies nor query strings, which hold secrets.
 */
export function traceRequests(
  fastify: FastifyInstance,
  options: { logger: Logger; metrics: Metrics; requestIdHeader: string },
): void {
  const { logger, metrics, requestIdHeader } = options;
  fastify.decorateRequest('serviceContext');
  fastify.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    const context = new ServiceRequestContext(request.id, traceparentOf(request), logger);
    request.serviceContext = context;
    reply.header(requestIdHeader, request.id);
    // Unlike onResponse, 'close' comes also when the client went away before the answer.
    reply.raw.once('close', () => record(request, reply, performance.now() - startedAt));
    requestContext.run(context, done);
  });
  // Body bytes arrive in the connection's own context, so that the request's must be entered again after them.
  fastify.addHook('preValidation', (request, _reply, done) => {
    requestContext.run(request.serviceContext, done);
  });

  function record(request: FastifyRequest, reply: FastifyReply, durationMs: number): void {
    const { method } = request;
    const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
    const aborted = !reply.raw.writableFinished;
    // 499 is what proxies write for a client that left; it is never on the wire.
    const status = aborted ? 499 : reply.raw.statusCode;
    metrics.observeRequest(method, route, status, durationMs / 1000);
    const level = request.routeOptions.config.probe === true ? 'debug' : status >= 500 ? 'warn' : 'info';
    if (!logger.isLevelEnabled(level)) {
      return;
    }
    const traceId = request.serviceContext.traceparent?.slice(3, 35);
    logger[level](
      {
        requestId: request.id,
        ...(traceId !== undefined && { traceId }),
        method,
        route,
        status,
        durationMs: Math.round(durationMs * 100) / 100,
      },
      'request',
    );
  }
}

function traceparentOf(request: FastifyRequest): string | undefined {
  const header = request.headers['traceparent'];
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;
}
