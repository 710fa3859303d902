import { context, propagation, SpanKind, SpanStatusCode, type Attributes, type Tracer } from '@opentelemetry/api';
import { runInSpan } from '@switchboard/tracing';
import type { OutboundRequest, OutboundResponse } from './outbound-options.js';

/**
 * HTTP methods that OpenTelemetry's semantic conventions list. Spans record other methods as `_OTHER`, because callers
 * can choose any method name.
 */
const KNOWN_HTTP_METHODS = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);

/**
 * Sends a request inside a tracing span and returns the response. Adds the trace headers of the registered propagator,
 * such as `traceparent`. Headers set by the caller take precedence. One span covers all redirects. The span omits path
 * and query of the URL, because they may contain secrets.
 */
export function sendRequestInSpan(
  tracer: Tracer,
  request: OutboundRequest,
  send: (traced: OutboundRequest) => Promise<OutboundResponse>,
): Promise<OutboundResponse> {
  const given = (request.method ?? 'GET').toUpperCase();
  const method = KNOWN_HTTP_METHODS.has(given) ? given : '_OTHER';
  const attributes = { 'http.request.method': method, ...createServerAttributes(request.url) };
  const name = method === '_OTHER' ? 'HTTP' : method;
  return runInSpan(tracer, name, { kind: SpanKind.CLIENT, attributes }, context.active(), async (span) => {
    const response = await send({ ...request, headers: addTraceHeaders(request.headers ?? {}) });
    const { status, redirects } = response;
    span.setAttribute('http.response.status_code', status);
    if (redirects.length > 0) span.setAttribute('http.request.resend_count', redirects.length);
    if (status >= 400) {
      span.setAttribute('error.type', String(status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    return response;
  });
}

function createServerAttributes(url: string): Attributes {
  if (!URL.canParse(url)) return {};
  const { protocol, hostname, port } = new URL(url);
  const scheme = protocol.slice(0, -1);
  const defaultPort = scheme === 'https' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? defaultPort : Number(port), 'url.scheme': scheme };
}

/**
 * Returns request headers together with the trace headers of the active span. Omits a trace header if `headers` already
 * contains its name in any letter case.
 */
function addTraceHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const added: Record<string, string> = {};
  propagation.inject(context.active(), added);
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const absent = Object.entries(added).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(absent), ...headers };
}
