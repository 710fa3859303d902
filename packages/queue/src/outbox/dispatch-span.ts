import { context, ROOT_CONTEXT, SpanKind, trace, type Span, type Tracer } from '@opentelemetry/api';
import { findCommonOrigin, recordSpanFailure } from '@switchboard/tracing';
import { createOutboxSpanAttributes } from './added-row-spans.js';
import type { OutboxRowsDispatcher } from './outbox-dispatcher.js';

/**
 * Runs a dispatch in a tracing span. The span begins with the call of the dispatcher and ends after the work that
 * follows the commit. A dispatch without rows for the dispatcher has no span.
 *
 * @param dispatch function that dispatches rows with the given dispatcher
 */
export async function dispatchOutboxRowsInSpan<P>(
  tracer: Tracer,
  topic: string,
  dispatcher: OutboxRowsDispatcher<P>,
  dispatch: (traced: OutboxRowsDispatcher<P>) => Promise<void>,
): Promise<void> {
  let span: Span | undefined;
  const traced: OutboxRowsDispatcher<P> = async (rows, tx) => {
    // The active context is that of the commit that started the dispatch, not that of the rows.
    const traceparents = rows.map((row) => row.context.traceparent);
    const { parent, links } = findCommonOrigin(traceparents, ROOT_CONTEXT);
    const batch = { 'messaging.batch.message_count': rows.length };
    const attributes = { ...createOutboxSpanAttributes(topic, 'dispatch', 'process'), ...batch };
    const started = tracer.startSpan(`dispatch ${topic}`, { kind: SpanKind.CONSUMER, attributes, links }, parent);
    span = started;
    const spanContext = trace.setSpan(parent, started);
    const result = await context.with(spanContext, () => dispatcher(rows, tx));
    const afterCommit = result?.afterCommit;
    if (afterCommit === undefined) return result;
    return {
      ...result,
      afterCommit: () =>
        context.with(spanContext, afterCommit).catch((error: unknown) => {
          recordSpanFailure(started, error);
          throw error;
        }),
    };
  };
  try {
    await dispatch(traced);
  } catch (error) {
    if (span !== undefined) recordSpanFailure(span, error);
    throw error;
  } finally {
    span?.end();
  }
}
