import { OutboundError, type OutboundClient, type OutboundFailure, type OutboundResponse } from '@switchboard/outbound';
import type { AttemptRecord, ClaimedDelivery } from './delivery-store.js';
import { retryAfterMs } from './retry-policy.js';
import { UndeliverableError } from './undeliverable-error.js';
import { buildWebhookRequest, type OpenSecret } from './webhook-request.js';

/** How an attempt ended. */
export interface AttemptOutcome {
  /** `retry`: failed, and may succeed another time. */
  readonly result: 'succeeded' | 'retry' | 'failed';
  /** What the receiver asked to be given before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly record: AttemptRecord;
}

/** What sending needs beside the delivery. */
export interface SendEnvironment {
  readonly client: OutboundClient;
  readonly openSecret: OpenSecret;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

// Whatever the receiver does, these come out the same: the webhook itself has to be changed.
const hopeless: ReadonlySet<OutboundFailure> = new Set([
  'url_refused',
  'address_refused',
  'method_refused',
  'header_refused',
]);

/**
 * Makes one attempt. Any 2xx is success; every other answer and every failure is recorded (inventory-contract 5.5).
 *
 * @throws the reason of `signal` when the process stops or the time of the job is up. Nothing else.
 */
export async function sendWebhook(
  delivery: ClaimedDelivery,
  { client, openSecret, now }: SendEnvironment,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const startedMs = now();
  let body: string | null = null;
  try {
    if (delivery.webhook === null) throw new UndeliverableError('The webhook was deleted.');
    const built = await buildWebhookRequest(delivery, delivery.webhook, { openSecret, nowMs: startedMs });
    body = built.body;
    return judge(await client.request({ ...built.request, signal }), body, now());
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const final =
      error instanceof UndeliverableError || (error instanceof OutboundError && hopeless.has(error.failure));
    const record = { body, responseStatus: null, responseBody: null, durationMs: now() - startedMs };
    return { result: final ? 'failed' : 'retry', record: { ...record, error: describe(error) } };
  }
}

function judge(response: OutboundResponse, body: string, nowMs: number): AttemptOutcome {
  const { status, headers, durationMs } = response;
  const responseBody = response.body.toString('utf8');
  const record = { body, responseStatus: status, responseBody, durationMs };
  if (status >= 200 && status < 300) return { result: 'succeeded', record: { ...record, error: null } };
  const error = `Status ${status} returned with content '${responseBody.slice(0, 500)}', webhook FAILED to process.`;
  return { result: 'retry', retryAfterMs: retryAfterMs(headers['retry-after'], nowMs), record: { ...record, error } };
}

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 2000);
}
