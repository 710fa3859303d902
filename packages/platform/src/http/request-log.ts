import { context as activeContext, type Tracer } from '@opentelemetry/api';
import { findTracer, parseTraceparent } from '@switchboard/tracing';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestContextStorage, type RequestContext } from '../logging/request-context.js';
import { RequestOrigin } from '../logging/request-origin.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import { RequestDisconnect } from './request-disconnect.js';
import { RequestSpan } from './request-span.js';
import { RequestDatabaseWork } from './request-database-work.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Request context, which is shared by all code that handles this request. */
    serviceContext: RequestContext;
  }
  interface FastifyContextConfig {
    /** True for a health check, which is logged at debug level because such requests arrive every few seconds. */
    probe?: boolean;
  }
}

/** Data of a completed request for its log line and for the metric of request durations. */
export interface CompletedRequest {
  readonly requestId: string;
  readonly method: string;
  /** IP address of the client, according to the headers of trusted proxies (`TRUST_PROXY`). */
  readonly address: string;
  /**
   * Pattern of the request's route. The pattern contains no values of parameters, so that the number of metric series
   * is limited.
   */
  readonly route: string;
  readonly durationMs: number;
  readonly traceId?: string | undefined;
  /** True if the completed request was a health check. */
  readonly probe?: boolean | undefined;
  readonly span?: RequestSpan | undefined;
}

/** Writes the log line of a completed request, records the duration for metrics, and ends the tracing span. */
export function recordCompletedRequest(
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
  response: FastifyReply['raw'],
  { requestId, method, address, route, durationMs, traceId, probe, span }: CompletedRequest,
): void {
  // Status 499 is common in proxy logs for a client that disconnected before its response. It is never sent.
  const status = response.writableEnded ? response.statusCode : 499;
  metrics.observeRequest(method, route, status, durationMs / 1000);
  span?.end(status);
  const level = probe === true ? 'debug' : status >= 500 ? 'warn' : 'info';
  if (!logger.isLevelEnabled(level)) return;
  const trace = traceId === undefined ? undefined : { traceId };
  logger[level](
    { requestId, ...trace, method, address, route, status, durationMs: Math.round(durationMs * 100) / 100 },
    'request',
  );
}

/**
 * Creates the context of every request, and adds a header with the request id to the response. At the end of the
 * request, writes one log line and records the request's duration for metrics. The log line contains client address,
 * method, route pattern, status and duration, but no body and no query string, which may contain secrets.
 */
export function startRequestContexts(
  fastify: FastifyInstance,
  options: { logger: Logger; metrics: Metrics; requestIdHeader: string },
): void {
  const { requestIdHeader } = options;
  const tracer = findTracer('@switchboard/platform');
  fastify.decorateRequest('serviceContext');
  fastify.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    // Read now, because a closed connection has no address.
    const address = request.ip;
    const context = createRequestContext(request, tracer, address);
    request.serviceContext = context;
    reply.header(requestIdHeader, request.id);
    const complete = (): void => {
      if (!reply.raw.writableEnded) context.disconnect?.recordDisconnect();
      record(request, reply, { address, durationMs: performance.now() - startedAt });
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
    runInRequestContext(context, done);
  });
  // The body's bytes arrive in the connection's async context, so the context of the request is entered again
  // afterwards.
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (requestContextStorage.getStore() === request.serviceContext) {
      done();
    } else {
      runInRequestContext(request.serviceContext, done);
    }
  });

  function record(
    request: FastifyRequest,
    reply: FastifyReply,
    measured: Pick<CompletedRequest, 'address' | 'durationMs'>,
  ): void {
    const { method, id: requestId } = request;
    const { url: route = 'unmatched', config } = request.routeOptions;
    const { traceparent, span } = request.serviceContext;
    const traceId = traceparent?.slice(3, 35);
    recordCompletedRequest(options, reply.raw, {
      requestId,
      method,
      route,
      ...measured,
      traceId,
      probe: config.probe,
      span,
    });
  }
}

/** Runs `done` in the context of a request and of the request's tracing span. */
function runInRequestContext(context: RequestContext, done: () => void): void {
  if (context.span === undefined) requestContextStorage.run(context, done);
  else activeContext.with(context.span.context, () => requestContextStorage.run(context, done));
}

function createRequestContext(request: FastifyRequest, tracer: Tracer | null, address: string): RequestContext {
  const disconnect = new RequestDisconnect();
  const work = new RequestDatabaseWork(request.routeOptions.config.databaseWork ?? 'short', () => `address ${address}`);
  const origin = new RequestOrigin(address);
  const { id: requestId } = request;
  // A health check has no span, because it is requested every few seconds.
  const span =
    tracer === null || request.routeOptions.config.probe === true ? undefined : beginRequestSpan(request, tracer);
  const traceparent = span?.traceparent ?? getClientTraceparent(request);
  if (traceparent === undefined) return { requestId, log: request.log, disconnect, work, origin };
  const log = request.log.child({ traceId: traceparent.slice(3, 35) });
  return { requestId, traceparent, log, disconnect, work, origin, ...(span && { span }) };
}

function beginRequestSpan(
  { id: requestId, raw, routeOptions, protocol: scheme }: FastifyRequest,
  tracer: Tracer,
): RequestSpan {
  return new RequestSpan(tracer, { requestId, raw, route: routeOptions.url, scheme });
}

/** Returns the client's `traceparent` header of a request, or undefined if it is missing or not well-formed. */
function getClientTraceparent({ headers }: FastifyRequest): string | undefined {
  const header = headers['traceparent'];
  return typeof header === 'string' && parseTraceparent(header) !== null ? header : undefined;
}
