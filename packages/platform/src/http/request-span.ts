import {
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { formatTraceparent } from '@switchboard/tracing';
import type { FastifyRequest } from 'fastify';

/**
 * HTTP methods that OpenTelemetry's semantic conventions list. Spans record other methods as `_OTHER`, because clients
 * can send any method name.
 */
const KNOWN_HTTP_METHODS = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);

/** Properties of a request that the request's tracing span records. */
export interface TracedRequest {
  readonly requestId: string;
  readonly raw: Pick<FastifyRequest['raw'], 'method' | 'headers'>;
  /** Pattern of the request's route; undefined if no route matches. */
  readonly route: string | undefined;
  readonly scheme?: string;
  /** Time at which the request began, in milliseconds of `performance.now`. Default: the current time. */
  readonly startedAt?: number;
}

/** Tracing span of a request to this service, from the arrival of the request headers to the end of the response. */
export class RequestSpan {
  /** OpenTelemetry context that contains the span. The request is handled in this context. */
  readonly context: Context;
  /** W3C `traceparent` text that identifies the request's span. */
  readonly traceparent: string;
  readonly #span: Span;

  /**
   * Starts a span that continues the client's trace, if the request has the trace headers of the registered propagator.
   * The span omits path and query of the URL, because both may contain secrets.
   */
  constructor(tracer: Tracer, { requestId, raw, route, scheme, startedAt }: TracedRequest) {
    const method = KNOWN_HTTP_METHODS.has(raw.method ?? '') ? (raw.method ?? '') : '_OTHER';
    const attributes = {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      ...(scheme !== undefined && { 'url.scheme': scheme }),
      'switchboard.request.id': requestId,
    };
    const shownMethod = method === '_OTHER' ? 'HTTP' : method;
    const name = route === undefined ? shownMethod : `${shownMethod} ${route}`;
    const remote = propagation.extract(ROOT_CONTEXT, raw.headers);
    const options = { kind: SpanKind.SERVER, attributes, ...(startedAt !== undefined && { startTime: startedAt }) };
    this.#span = tracer.startSpan(name, options, remote);
    this.context = trace.setSpan(remote, this.#span);
    this.traceparent = formatTraceparent(this.#span.spanContext());
  }

  /** Ends the span and records the status of the response, or 499 if the client disconnected before the response. */
  end(status: number): void {
    this.#span.setAttribute('http.response.status_code', status);
    if (status >= 500) {
      this.#span.setAttribute('error.type', String(status));
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}
