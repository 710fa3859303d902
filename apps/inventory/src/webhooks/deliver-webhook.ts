import type { JobContext, OnFaultPoint, QueueTx } from '@switchboard/queue';
import type { ClaimedDelivery } from '../destinations/index.js';
import type { CircuitBreakers, AttemptContact } from './circuit-breakers.js';
import type { DeliveryJob, DeliveryQueue, DueDelivery } from './delivery-queue.js';
import type { DeliveryMetrics } from './delivery-figures.js';
import {
  claimDelivery,
  deferDelivery,
  findLaterDelivery,
  finishDelivery,
  postponeDelivery,
  releaseDelivery,
  wakeNextDelivery,
} from './delivery-store.js';
import { nextDelayMs } from './retry-policy.js';
import { sendWebhook, type AttemptOutcome, type SendEnvironment } from './send-webhook.js';
import type { WebhookSettings } from './settings.js';

/** Dependencies of {@link deliverWebhook}. */
export interface DeliverEnvironment extends SendEnvironment {
  readonly database: QueueTx;
  readonly queue: DeliveryQueue;
  readonly breakers: CircuitBreakers;
  readonly settings: WebhookSettings;
  readonly figures: DeliveryMetrics;
  /** Deliveries, by id, that were claimed for their first attempt when they were created. */
  readonly claimed: Map<string, ClaimedDelivery>;
  /** Random number generator, which returns a number in [0, 1). */
  readonly random: () => number;
  /**
   * Fault points of tests: `delivery.before-send` after the delivery is claimed, and `delivery.after-send` before the
   * outcome is recorded.
   */
  readonly faultPoint?: OnFaultPoint | undefined;
}

/**
 * Returns the job handler that makes one attempt of one webhook delivery: it claims the delivery, sends the request,
 * records the outcome, and adds jobs for deliveries that are then due. No transaction is open during the request. If
 * the process dies between request and record, the claim expires, and the delivery is sent again with the same
 * `webhook-id`.
 */
export function deliverWebhook(environment: DeliverEnvironment) {
  return async ({ deliveryId, receiver, byHand }: DeliveryJob, context: JobContext): Promise<void> => {
    const { database, queue, breakers } = environment;
    const passage = breakers.requestAttempt(receiver, byHand);
    if ('waitMs' in passage) {
      const deferred = await deferDelivery(database, deliveryId, passage.waitMs);
      if (deferred.length > 0) return queue.addDue(deferred);
    }
    let contact: AttemptContact = 'none';
    try {
      contact = await deliverClaimed(environment, deliveryId, context);
    } finally {
      if ('leave' in passage) passage.leave(contact);
    }
  };
}

async function deliverClaimed(
  environment: DeliverEnvironment,
  deliveryId: string,
  { signal, log }: JobContext,
): Promise<AttemptContact> {
  const { database, queue, settings, faultPoint } = environment;
  const early = environment.claimed.get(deliveryId);
  environment.claimed.delete(deliveryId);
  const delivery = early ?? (await claimDelivery(database, deliveryId, settings.leaseMs));
  if (delivery === null) {
    await queue.addDue(await findLaterDelivery(database, deliveryId));
    return 'none';
  }
  faultPoint?.('delivery.before-send');
  const outcome = await makeAttempt(environment, delivery, signal);
  faultPoint?.('delivery.after-send');
  const next = await recordOutcome(environment, delivery, outcome);
  const { response, durationMs, error } = outcome.record;
  const { actionType, destination, attempt: attempts } = delivery;
  const action = { actionType, destination: destination?.name };
  const fields = { deliveryId, ...action, attempts, responseStatus: response?.status, durationMs, error };
  if (next.status === 'failed') log.warn(fields, 'webhook delivery failed');
  else log.info(fields, next.status === 'succeeded' ? 'webhook delivered' : 'webhook delivery will be retried');
  await queue.addDue(next.due);
  return outcome.contact;
}

async function makeAttempt(
  environment: DeliverEnvironment,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  try {
    return await sendWebhook(delivery, environment, signal);
  } catch (error) {
    await releaseDelivery(environment.database, delivery);
    throw error;
  }
}

/**
 * Records the outcome of a delivery attempt. Returns the delivery's state, and the deliveries that are due next: the
 * same delivery for its retry, or a delivery that waited for it.
 */
async function recordOutcome(
  { database, settings, random, figures, now }: DeliverEnvironment,
  delivery: ClaimedDelivery,
  outcome: AttemptOutcome,
): Promise<{ status: 'queued' | 'succeeded' | 'failed'; due: DueDelivery[] }> {
  const { result, retryAfterMs } = outcome;
  const failures = delivery.tries;
  const delayMs = result === 'retry' ? nextDelayMs(settings.retry, { failures, retryAfterMs, random: random() }) : null;
  if (delayMs !== null) {
    const due = await postponeDelivery(database, delivery, delayMs, outcome.record);
    if (due.length > 0) figures.count('retried', delivery.payload, now());
    return { status: 'queued', due };
  }
  const status = result === 'succeeded' ? 'succeeded' : 'failed';
  const isRecorded = await finishDelivery(database, delivery, status, outcome.record);
  if (isRecorded) figures.count(status === 'succeeded' ? 'delivered' : 'failed', delivery.payload, now());
  // A separate statement: in the same one, a delivery that is checked at that moment could be missed.
  return { status, due: await wakeNextDelivery(database, delivery.id) };
}
