import { OutboundError, type OutboundClient, type OutboundFailure, type OutboundResponse } from '@switchboard/outbound';
import { findDestination, type ClaimedDelivery, type Destination, type SendServices } from '../destinations/index.js';
import type { AttemptContact } from './circuit-breakers.js';
import { receivedResponse, sentRequest, type AttemptRecord, type SentRequest } from './delivery-attempts.js';
import { UndeliverableError } from './undeliverable-error.js';

/** Outcome of a delivery attempt. */
export interface AttemptOutcome {
  /** Result of the attempt. `retry` is a failure after which another attempt may succeed. */
  readonly result: 'succeeded' | 'retry' | 'failed';
  /** Delay before the next attempt that the receiver requested, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly record: AttemptRecord;
  readonly contact: AttemptContact;
}

/** Dependencies of {@link sendWebhook}. */
export interface SendEnvironment extends Omit<SendServices, 'nowMs'> {
  readonly client: OutboundClient;
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
}

// Permanent failures: retrying cannot succeed until the webhook is changed.
const permanentFailures: ReadonlySet<OutboundFailure> = new Set([
  'url_refused',
  'address_refused',
  'method_refused',
  'header_refused',
]);

// Failures of the receiver or the network that concern all deliveries to the receiver. Certificate errors are not among
// them, because each webhook has its own trusted certificates.
const connectionFailures: ReadonlySet<OutboundFailure> = new Set(['name_not_resolved', 'connection_lost', 'timeout']);

/**
 * Makes one attempt of a webhook delivery. All responses and failures are part of the result.
 *
 * @throws the reason of `signal` if the process stops or the job times out; nothing else
 */
export async function sendWebhook(
  delivery: ClaimedDelivery,
  environment: SendEnvironment,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { client, now } = environment;
  const startedMs = now();
  let sent: SentRequest | null = null;
  try {
    const destination = requireDestination(delivery);
    const { openSealed, settings } = environment;
    const built = await destination.build(delivery, { openSealed, settings, nowMs: startedMs });
    sent = sentRequest(built.request, built.body);
    return outcomeOfResponse(destination, await client.request({ ...built.request, signal }), sent, now());
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const final =
      error instanceof UndeliverableError || (error instanceof OutboundError && permanentFailures.has(error.failure));
    const record = { request: sent, response: null, durationMs: now() - startedMs, error: describeFailure(error) };
    return { result: final ? 'failed' : 'retry', contact: contactOfFailure(error), record };
  }
}

function requireDestination({ actionType }: ClaimedDelivery): Destination {
  const destination = findDestination(actionType);
  if (destination === null) throw new UndeliverableError(`Nothing delivers actions of type ${actionType}.`);
  return destination;
}

function outcomeOfResponse(
  destination: Destination,
  response: OutboundResponse,
  request: SentRequest,
  nowMs: number,
): AttemptOutcome {
  const record = { request, response: receivedResponse(response), durationMs: response.durationMs };
  const problem = destination.checkResponse(response, nowMs);
  if (problem === null) return { result: 'succeeded', contact: 'answered', record: { ...record, error: null } };
  const { error, final = false, retryAfterMs } = problem;
  return { result: final ? 'failed' : 'retry', retryAfterMs, contact: 'answered', record: { ...record, error } };
}

function contactOfFailure(error: unknown): AttemptContact {
  if (!(error instanceof OutboundError) || permanentFailures.has(error.failure)) return 'none';
  if (error.failure === 'connect_failed') return 'refused';
  return connectionFailures.has(error.failure) ? 'unreachable' : 'answered';
}

function describeFailure(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 2000);
}
