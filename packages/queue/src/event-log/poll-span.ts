import { context, SpanKind, type Tracer } from '@opentelemetry/api';
import type { ClientPollState } from './poll-request.js';

/**
 * Checks the event queue of a poll in a tracing span. The span ends when the poll has a result or begins to wait. The
 * span excludes the wait: a longer span would only repeat the span of the HTTP request and would take memory for each
 * waiting client.
 */
export async function checkPollQueueInSpan(
  tracer: Tracer,
  ticket: ClientPollState,
  begin: () => Promise<void>,
): Promise<void> {
  const attributes = {
    'messaging.system': 'switchboard.event_log',
    'messaging.destination.name': 'events',
    'messaging.operation.name': ticket.stream === null ? 'poll' : 'stream',
    'messaging.operation.type': 'receive',
    'switchboard.event_queue.id': ticket.request.queueId,
    'switchboard.poll.block': ticket.waits,
  };
  const name = ticket.stream === null ? 'poll events' : 'stream events';
  // The span is not made active, so that no timer or promise of a waiting poll retains it.
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, context.active());
  await begin();
  span.setAttribute('switchboard.poll.waits', !ticket.isCompleted);
  span.end();
}
