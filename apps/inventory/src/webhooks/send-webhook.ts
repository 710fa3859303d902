import { OutboundError, type OutboundClient, type OutboundFailure, type OutboundResponse } from '@switchboard/outbound';
import { findDestination, type ClaimedDelivery, type Destination, type SendServices } from '../destinations/index.js';
import type { Contact } from './circuit-breakers.js';
import { receivedResponse, sentRequest, type AttemptRecord, type SentRequest } from './delivery-attempts.js';
import { UndeliverableError } from './undeliverable-error.js';

/** Outcome of an attempt. */
export interface AttemptOutcome {
  /** `retry`: failed, and may succeed another time. */
  readonly result: 'succeeded' | 'retry' | 'failed';
  /** Delay before the next attempt that the receiver asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly record: AttemptRecord;
  readonly contact: Contact;
}

/** Dependencies of sending in addition to the delivery. */
export interface SendEnvironment extends Omit<SendServices, 'nowMs'> {
  readonly client: OutboundClient;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

// Whatever the receiver does, these come out the same: the webhook itself has to be changed.
const permanentFailures: ReadonlySet<OutboundFailure> = new Set([
  'url_refused',
  'address_refused',
  'method_refused',
  'header_refused',
]);

// The receiver's fault, or the network's on the way there, and not for this one delivery alone: which certificates are
// good is each webhook's own affair.
const connectionFailures: ReadonlySet<OutboundFailure> = new Set(['name_not_resolved', 'connection_lost', 'timeout']);

/**
 * Makes one attempt. Every response and every failure is recorded.
 * @throws only the reason of `signal`, when the process stops or the job times out
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
    const destination = destinationOf(delivery);
    const { openSealed, settings } = environment;
    const built = await destination.build(delivery, { openSealed, settings, nowMs: startedMs });
    sent = sentRequest(built.request, built.body);
    return judge(destination, await client.request({ ...built.request, signal }), sent, now());
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const final =
      error instanceof UndeliverableError || (error instanceof OutboundError && permanentFailures.has(error.failure));
    const record = { request: sent, response: null, durationMs: now() - startedMs, error: describe(error) };
    return { result: final ? 'failed' : 'retry', contact: contactOf(error), record };
  }
}

function destinationOf({ actionType }: ClaimedDelivery): Destination {
  const destination = findDestination(actionType);
  if (destination === null) throw new UndeliverableError(`Nothing delivers actions of type ${actionType}.`);
  return destination;
}

function judge(
  destination: Destination,
  response: OutboundResponse,
  request: SentRequest,
  nowMs: number,
): AttemptOutcome {
  const record = { request, response: receivedResponse(response), durationMs: response.durationMs };
  const complaint = destination.checkResponse(response, nowMs);
  if (complaint === null) return { result: 'succeeded', contact: 'answered', record: { ...record, error: null } };
  const { error, final = false, retryAfterMs } = complaint;
  return { result: final ? 'failed' : 'retry', retryAfterMs, contact: 'answered', record: { ...record, error } };
}

function contactOf(error: unknown): Contact {
  if (!(error instanceof OutboundError) || permanentFailures.has(error.failure)) return 'none';
  if (error.failure === 'connect_failed') return 'refused';
  return connectionFailures.has(error.failure) ? 'unreachable' : 'answered';
}

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 2000);
}
