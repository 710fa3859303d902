import { ROOT_CONTEXT, SpanKind, type Tracer } from '@opentelemetry/api';
import { findCommonOrigin, runInSpan } from '@switchboard/tracing';
import type { TraceContext } from '../environment.js';
import { createOutboxSpanAttributes } from '../outbox/added-row-spans.js';
import { EVENT_LOG_TOPIC } from '../outbox/outbox-message-type.js';

/** Batch of rows that are appended to the event log of a realm. */
export interface AppendedRowBatch {
  readonly realm: string;
  readonly count: number;
  /** Value of the column `context` (trace fields) if the batch has only one row; null if the value is not known. */
  readonly context: string | null;
}

/**
 * Appends rows to the event log of a realm inside a tracing span. For a single row, the span belongs to the trace of
 * that row. For rows of several transactions, the span starts a new trace without links, because the trace fields of
 * the rows are not read.
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
  return runInSpan(
    tracer,
    `dispatch ${EVENT_LOG_TOPIC}`,
    { kind: SpanKind.CONSUMER, attributes, links },
    parent,
    append,
  );
}
