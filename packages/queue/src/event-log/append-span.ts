import { ROOT_CONTEXT, SpanKind, type Tracer } from '@opentelemetry/api';
import { findCommonOrigin, inSpan } from '@switchboard/tracing';
import type { TraceContext } from '../environment.js';
import { createOutboxSpanAttributes } from '../outbox/added-row-spans.js';
import { EVENT_LOG_TOPIC } from '../outbox/outbox-message-type.js';

/** Rows that are appended to a realm's log. */
export interface AppendedRowBatch {
  readonly realm: string;
  readonly count: number;
  /** Column `context` of the only row, or null if it is not known. */
  readonly context: string | null;
}

/**
 * Appends rows to a realm's log in a span. The span joins the trace of the only row. A batch of several transactions has
 * a trace of its own without links, because the contexts of its rows are not read.
 */
export function appendBatchInSpan(
  tracer: Tracer,
  { realm, count, context }: AppendedRowBatch,
  append: () => Promise<void>,
): Promise<void> {
  const { traceparent } = context === null ? {} : (JSON.parse(context) as TraceContext);
  const { parent, links } = findCommonOrigin([traceparent], ROOT_CONTEXT);
  const attributes = {
    ...createOutboxSpanAttributes(EVENT_LOG_TOPIC, 'dispatch', 'process'),
    'messaging.batch.message_count': count,
    'switchboard.event_log.realm': realm,
  };
  return inSpan(tracer, `dispatch ${EVENT_LOG_TOPIC}`, { kind: SpanKind.CONSUMER, attributes, links }, parent, append);
}
