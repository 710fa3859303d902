import { context, SpanKind, type Tracer } from '@opentelemetry/api';
import { findCommonOrigin, runInSpan } from '@switchboard/tracing';
import { createOutboxSpanAttributes } from './added-row-spans.js';
import type { DispatchTaskAfterCommit } from './dispatch-functions.js';

/**
 * Sends the statement that dispatches an outbox row inside the writer's transaction. The statement is sent immediately.
 * A tracing span covers the statement until the response of the database server.
 *
 * @param traceparent `traceparent` that the row would store
 * @param send function that resolves to null if the row was stored instead
 */
export function sendInlineDispatchInSpan(
  tracer: Tracer,
  topic: string,
  traceparent: string | undefined,
  send: () => Promise<DispatchTaskAfterCommit | null>,
): Promise<DispatchTaskAfterCommit | null> {
  const { parent, links } = findCommonOrigin([traceparent], context.active());
  const attributes = {
    ...createOutboxSpanAttributes(topic, 'dispatch', 'process'),
    'messaging.batch.message_count': 1,
  };
  return runInSpan(
    tracer,
    `dispatch ${topic}`,
    { kind: SpanKind.CONSUMER, attributes, links },
    parent,
    async (span) => {
      const afterCommit = await send();
      span.setAttribute('switchboard.outbox.inline', afterCommit !== null);
      return afterCommit;
    },
  );
}
