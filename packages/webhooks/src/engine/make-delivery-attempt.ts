import { OutboundError, type OutboundClient, type OutboundFailure, type OutboundResponse } from '@switchboard/outbound';
import {
  createReceivedResponseRecord,
  createSentRequestRecord,
  type DeliveryAttemptRecord,
  type SentDeliveryRequest,
} from './attempt-record.js';
import type { ReceiverContactOutcome } from './circuit-breakers.js';
import type { ClaimedDelivery, EndpointSource } from './endpoint-source.js';
import { UndeliverableError } from './undeliverable-error.js';

/** Outcome of a webhook delivery attempt. */
export interface DeliveryAttemptOutcome {
  /** Result of the delivery attempt. `retry` means a failure after which another attempt may succeed. */
  readonly result: 'succeeded' | 'retry' | 'failed';
  /** Delay before the next attempt that the receiver has requested, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly record: DeliveryAttemptRecord;
  /** Complete response of the receiver; null if the attempt got no complete response. */
  readonly response: OutboundResponse | null;
  readonly contact: ReceiverContactOutcome;
}

export interface DeliveryAttemptDependencies<Target> {
  readonly source: EndpointSource<Target>;
  readonly client: OutboundClient;
  /** Function that returns the current time in milliseconds since 1970. */
  readonly now: () => number;
}

// Permanent failures: retrying cannot succeed until the webhook is changed.
const permanentDeliveryFailureCodes: ReadonlySet<OutboundFailure> = new Set([
  'url_refused',
  'address_refused',
  'method_refused',
  'header_refused',
]);

// Failures of the receiver or the network that concern all deliveries to the receiver. Certificate errors are not among
// them, because each webhook has its own trusted certificates.
const connectionFailureCodes: ReadonlySet<OutboundFailure> = new Set([
  'name_not_resolved',
  'connection_lost',
  'timeout',
]);

/**
 * Makes one attempt of a webhook delivery. Responses and failures are returned in the result.
 *
 * @throws only the reason of `signal`, if the process stops or the job times out
 */
export async function makeDeliveryAttempt<Target>(
  delivery: ClaimedDelivery<Target>,
  { source, client, now }: DeliveryAttemptDependencies<Target>,
  signal: AbortSignal,
): Promise<DeliveryAttemptOutcome> {
  const startedMs = now();
  let request: SentDeliveryRequest | null = null;
  try {
    const built = await source.build(delivery, startedMs);
    request = createSentRequestRecord(built.request, built.body);
    const response = await client.request({ ...built.request, signal });
    const problem = source.checkResponse(response, now(), delivery);
    const { error = null, final = false, retryAfterMs } = problem ?? {};
    const record = {
      request,
      response: createReceivedResponseRecord(response),
      durationMs: response.durationMs,
      error,
    };
    const failed = final ? 'failed' : 'retry';
    return { result: problem === null ? 'succeeded' : failed, retryAfterMs, contact: 'answered', record, response };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const final =
      error instanceof UndeliverableError ||
      (error instanceof OutboundError && permanentDeliveryFailureCodes.has(error.failure));
    const record = { request, response: null, durationMs: now() - startedMs, error: describeAttemptFailure(error) };
    return { result: final ? 'failed' : 'retry', contact: toReceiverContactOutcome(error), record, response: null };
  }
}

function toReceiverContactOutcome(error: unknown): ReceiverContactOutcome {
  if (!(error instanceof OutboundError) || permanentDeliveryFailureCodes.has(error.failure)) return 'none';
  if (error.failure === 'connect_failed') return 'refused';
  return connectionFailureCodes.has(error.failure) ? 'unreachable' : 'answered';
}

function describeAttemptFailure(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 2000);
}
