import { context, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { runInSpan } from '@switchboard/tracing';
import type { ClaimedDelivery } from './endpoint-source.js';

/**
 * Makes an attempt of a webhook delivery in a tracing span. The span is a child of the job's span, and the span of the
 * request to the receiver is a child of the new span. URL, payload and error message are not recorded, because they may
 * contain secrets.
 *
 * @param deliver function that makes the attempt and returns the new state of the delivery
 */
export function makeDeliveryAttemptInSpan<T extends { readonly status: 'queued' | 'succeeded' | 'failed' }>(
  tracer: Tracer,
  { id, attempt }: Pick<ClaimedDelivery<unknown>, 'id' | 'attempt'>,
  deliver: () => Promise<T>,
): Promise<T> {
  const attributes = { 'switchboard.webhook.delivery_id': id, 'switchboard.webhook.attempt': attempt };
  const options = { kind: SpanKind.INTERNAL, attributes };
  return runInSpan(tracer, 'deliver webhook', options, context.active(), async (span) => {
    const delivered = await deliver();
    const outcome = delivered.status === 'queued' ? 'retried' : delivered.status;
    span.setAttribute('switchboard.webhook.outcome', outcome);
    if (outcome !== 'succeeded') span.setStatus({ code: SpanStatusCode.ERROR });
    return delivered;
  });
}
