import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestContext, type RequestContext } from '../logging/request-context.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import { RequestDisconnect } from './request-disconnect.js';
import { RequestWork } from './request-work.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Context shared by all code that handles this request. */
    serviceContext: RequestContext;
  }
  interface FastifyContextConfig {
    /** True for a health check, which is logged at debug level because it is requested every few seconds. */
    probe?: boolean;
  }
}

/**
 * Regular expression of a valid `traceparent` header (W3C Trace Context section 3.2.2, version 00). No id may consist
 * of zeros only.
 */
const TRACEPARENT_PATTERN = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A completed request, for its log line and its duration in metrics. */
export interface CompletedRequest {
  readonly requestId: string;
  readonly method: string;
  /** Pattern of the route. It contains no values, so that the number of metric series is limited. */
  readonly route: string;
  readonly durationMs: number;
  readonly traceId?: string | undefined;
  /** True for a health check. */
  readonly probe?: boolean | undefined;
}

/** Writes the log line of a completed request, and records the request's duration for metrics. */
export function recordRequest(
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
  response: FastifyReply['raw'],
  { requestId, method, route, durationMs, traceId, probe }: CompletedRequest,
): void {
  // Status 499 is common in proxy logs for a client that disconnected before its response. It is never sent.
  const status = response.writableEnded ? response.statusCode : 499;
  metrics.observeRequest(method, route, status, durationMs / 1000);
  const level = probe === true ? 'debug' : status >= 500 ? 'warn' : 'info';
  if (!logger.isLevelEnabled(level)) return;
  const trace = traceId === undefined ? undefined : { traceId };
  logger[level](
    { requestId, ...trace, method, route, status, durationMs: Math.round(durationMs * 100) / 100 },
    'request',
  );
}

/**
 * Creates the context of every request, and adds a header with the request id to the response. At the end of the
 * request, writes one log line and records the request's duration for metrics. The line contains method, route pattern,
 * status and duration, but no body and no query string, which may contain secrets.
 */
export function traceRequests(
  fastify: FastifyInstance,
  options: { logger: Logger; metrics: Metrics; requestIdHeader: string },
): void {
  const { requestIdHeader } = options;
  fastify.decorateRequest('serviceContext');
  fastify.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    const context = createContext(request);
    request.serviceContext = context;
    reply.header(requestIdHeader, request.id);
    const complete = (): void => {
      if (!reply.raw.writableEnded) context.disconnect?.recordDisconnect();
      record(request, reply, performance.now() - startedAt);
    };
    // The client may have disconnected while a cached response was searched for. Then 'close' was emitted already.
    if (reply.raw.closed) {
      reply.hijack();
      complete();
      return;
    }
    // Unlike onResponse, 'close' is also emitted if the client disconnected before the response. It is emitted once, and
    // `once` would add 150 bytes to each open response.
    reply.raw.on('close', complete);
    requestContext.run(context, done);
  });
  // The body's bytes arrive in the connection's async context, so the context of the request is entered again
  // afterwards.
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (requestContext.getStore() === request.serviceContext) {
      done();
    } else {
      requestContext.run(request.serviceContext, done);
    }
  });

  function record(request: FastifyRequest, reply: FastifyReply, durationMs: number): void {
    const { method, id: requestId } = request;
    const { url: route = 'unmatched', config } = request.routeOptions;
    const traceId = request.serviceContext.traceparent?.slice(3, 35);
    recordRequest(options, reply.raw, { requestId, method, route, durationMs, traceId, probe: config.probe });
  }
}

function createContext(request: FastifyRequest): RequestContext {
  const header = request.headers['traceparent'];
  const disconnect = new RequestDisconnect();
  const work = new RequestWork(request.routeOptions.config.databaseWork ?? 'short', () => `address ${request.ip}`);
  if (typeof header !== 'string' || !TRACEPARENT_PATTERN.test(header)) {
    return { requestId: request.id, log: request.log, disconnect, work };
  }
  const log = request.log.child({ traceId: header.slice(3, 35) });
  return { requestId: request.id, traceparent: header, log, disconnect, work };
}
