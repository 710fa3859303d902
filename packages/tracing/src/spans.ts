import {
  context,
  SpanStatusCode,
  trace,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import { parseTraceparent } from './traceparent.js';

/** Maximum number of links of a tracing span. The OpenTelemetry SDK drops further links. */
const MAX_SPAN_LINKS = 128;

/**
 * Runs `work` in a new tracing span, and returns the result of `work`. The new span is the active span during the work.
 * The span ends when the result of `work` settles. An error is recorded with {@link recordSpanFailure} and rethrown.
 *
 * @param parent context of the span's parent; the other values of the context are visible to `work`
 */
export async function runInSpan<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  parent: Context,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = tracer.startSpan(name, options, parent);
  try {
    return await context.with(trace.setSpan(parent, span), () => work(span));
  } catch (error) {
    recordSpanFailure(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Marks a tracing span as failed, and records the name of the error in the attribute `error.type`. The error message is
 * not recorded, because the message may contain user data or secrets.
 */
export function recordSpanFailure(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns the identity of the active tracing span, or undefined if no span is active. */
export function getActiveSpanContext(): SpanContext | undefined {
  return trace.getSpanContext(context.active());
}

/** Trace origin of messages that one span processes together. */
export interface CommonTraceOrigin {
  /**
   * Context of the first message's trace if all messages belong to one trace; otherwise the context that the caller
   * passed.
   */
  readonly parent: Context;
  /** True if all messages that have a trace belong to a single trace. */
  readonly isCommon: boolean;
  /** Links to the distinct tracing spans in which the messages were created, at most 128 links. */
  readonly links: Link[];
}

/**
 * Returns the parent and the links for a tracing span that processes messages from several requests. The span joins the
 * trace of the messages if all messages belong to one trace. Otherwise the span only has links to the traces of the
 * messages.
 *
 * @param traceparents stored `traceparent` of each message; undefined for a message without a trace
 * @param base context of a span that joins no trace of its messages
 */
export function findCommonOrigin(traceparents: Iterable<string | undefined>, base: Context): CommonTraceOrigin {
  const links: Link[] = [];
  for (const header of new Set(traceparents)) {
    const origin = header === undefined ? null : parseTraceparent(header);
    if (origin !== null && links.length < MAX_SPAN_LINKS) links.push({ context: origin });
  }
  const [first] = links;
  const isCommon = first !== undefined && links.every((link) => link.context.traceId === first.context.traceId);
  return { parent: isCommon ? trace.setSpanContext(base, first.context) : base, isCommon, links };
}
