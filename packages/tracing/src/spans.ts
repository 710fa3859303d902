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

/** Maximum number of links of a span. The SDK drops further links. */
const MAX_SPAN_LINKS = 128;

/**
 * Runs `work` in a new span, which is the active one meanwhile. The span ends when the result of `work` settles. An
 * error is recorded with {@link recordSpanFailure} and thrown.
 *
 * @param parent context of the span's parent; its other values are visible to `work`
 */
export async function inSpan<T>(
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
 * Marks a span as failed, with the name of the error as `error.type`. The message is not recorded, because it may quote
 * user data or secrets.
 */
export function recordSpanFailure(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns the identity of the active span, or undefined if none is active. */
export function getActiveSpanContext(): SpanContext | undefined {
  return trace.getSpanContext(context.active());
}

/** Origin of messages that one span processes together. */
export interface MessageOrigin {
  /** Context of the first message's trace if all messages belong to one trace; otherwise the given context. */
  readonly parent: Context;
  /** True if all messages that have a trace belong to the same one. */
  readonly isCommon: boolean;
  /** Links to the distinct spans in which the messages were created, at most 128. */
  readonly links: Link[];
}

/**
 * Returns the parent and the links of a span that processes messages from several requests. The span joins the trace of
 * its messages if they have only one; otherwise it only has links to their traces.
 *
 * @param traceparents stored `traceparent` of each message; undefined for a message without a trace
 * @param base context of a span that joins no trace of its messages
 */
export function findCommonOrigin(traceparents: Iterable<string | undefined>, base: Context): MessageOrigin {
  const links: Link[] = [];
  for (const header of new Set(traceparents)) {
    const origin = header === undefined ? null : parseTraceparent(header);
    if (origin !== null && links.length < MAX_SPAN_LINKS) links.push({ context: origin });
  }
  const [first] = links;
  const isCommon = first !== undefined && links.every((link) => link.context.traceId === first.context.traceId);
  return { parent: isCommon ? trace.setSpanContext(base, first.context) : base, isCommon, links };
}
