import type { Tracer } from '@opentelemetry/api';
import { findTracer } from '@switchboard/tracing';
import type { JobContext, FaultPointListener, QueueTx } from '@switchboard/queue';
import type { ReceiverContactOutcome, CircuitBreakers } from './circuit-breakers.js';
import type { DeliveryAttemptJobPayload, DeliveryQueue, WebhookDeliveryNeedingJob } from './delivery-queue.js';
import { makeDeliveryAttemptInSpan } from './delivery-span.js';
import type { DeliveryStore } from './delivery-store.js';
import type { ClaimedDelivery } from './endpoint-source.js';
import type { LoopbackReceiverMonitor } from './loopback-watch.js';
import {
  makeDeliveryAttempt,
  type DeliveryAttemptDependencies,
  type DeliveryAttemptOutcome,
} from './make-delivery-attempt.js';
import { nextDelayMs } from './retry-policy.js';
import type { WebhookDeliverySettings } from './webhook-settings.js';

/** Outcome of a delivery attempt, in the categories of the metrics. */
export type DeliveryOutcomeCategory = 'delivered' | 'failed' | 'retried';

export interface DeliveryJobDependencies<Target> extends DeliveryAttemptDependencies<Target> {
  readonly database: QueueTx;
  readonly store: DeliveryStore<Target>;
  readonly queue: DeliveryQueue;
  readonly breakers: CircuitBreakers;
  readonly localReceivers: Pick<LoopbackReceiverMonitor, 'recordAttempt' | 'recordWait'>;
  readonly settings: Pick<WebhookDeliverySettings, 'leaseMs' | 'retry'>;
  /** Called after the outcome of a delivery attempt was recorded, to count the outcome. */
  readonly count: (outcome: DeliveryOutcomeCategory, delivery: ClaimedDelivery<Target>) => void;
  /** Deliveries that the creating statement has claimed for their first attempt, by delivery id. */
  readonly claimed: Map<string, ClaimedDelivery<Target>>;
  /** Random number generator: a function that returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /**
   * Function that is called at fault points, for fault tests. `delivery.before-send` is reached after the delivery is
   * claimed, `delivery.after-send` before the outcome is recorded.
   */
  readonly faultPoint?: FaultPointListener | undefined;
}

/**
 * Returns the job handler that makes one attempt of one webhook delivery. The handler claims the delivery, sends the
 * request, records the outcome, and adds jobs for deliveries that are then due. No transaction is open during the
 * request. If the process dies between the request and the record, the claim expires. The delivery is then sent again
 * with an unchanged `webhook-id`.
 */
export function createDeliveryJobHandler<Target>(environment: DeliveryJobDependencies<Target>) {
  const tracer = findTracer('@switchboard/webhooks');
  return async ({ deliveryId, receiver, byHand }: DeliveryAttemptJobPayload, context: JobContext): Promise<void> => {
    const { database, store, queue, breakers, localReceivers, now } = environment;
    const startedMs = now();
    const passage = breakers.requestAttemptPermission(receiver, byHand);
    if ('waitMs' in passage) {
      const deferred = await store.deferForSuspendedReceiver(database, deliveryId, passage.waitMs);
      if (deferred.length > 0) {
        if (receiver !== null) localReceivers.recordWait(receiver, startedMs);
        return queue.addFurtherAttempts(deferred);
      }
    }
    let attempt: FinishedDeliveryAttempt = { contact: 'none', due: [] };
    try {
      attempt = await sendClaimedDelivery(environment, tracer, deliveryId, context);
    } finally {
      if ('leave' in passage) passage.leave(attempt.contact);
      localReceivers.recordAttempt(receiver, attempt.contact, startedMs);
    }
    await queue.addFurtherAttempts(attempt.due);
  };
}

/** A recorded delivery attempt, the new state of its delivery, and the deliveries that are due next. */
interface RecordedDeliveryAttempt {
  readonly outcome: DeliveryAttemptOutcome;
  readonly status: 'queued' | 'succeeded' | 'failed';
  readonly due: readonly WebhookDeliveryNeedingJob[];
}

/** Contact with the receiver in a delivery attempt, and the deliveries that need a job after the attempt. */
interface FinishedDeliveryAttempt {
  readonly contact: ReceiverContactOutcome;
  readonly due: readonly WebhookDeliveryNeedingJob[];
}

async function sendClaimedDelivery<Target>(
  environment: DeliveryJobDependencies<Target>,
  tracer: Tracer | null,
  deliveryId: string,
  context: JobContext,
): Promise<FinishedDeliveryAttempt> {
  const { database, store, settings } = environment;
  const early = environment.claimed.get(deliveryId);
  environment.claimed.delete(deliveryId);
  const delivery = early ?? (await store.claim(database, deliveryId, settings.leaseMs));
  if (delivery === null) return { contact: 'none', due: await store.findClaimedOrLaterDelivery(database, deliveryId) };
  const deliver = async (): Promise<RecordedDeliveryAttempt> => sendAttemptAndRecord(environment, delivery, context);
  const { outcome, due } = await (tracer === null ? deliver() : makeDeliveryAttemptInSpan(tracer, delivery, deliver));
  return { contact: outcome.contact, due };
}

/** Sends the request of a claimed delivery, and records and logs the outcome. Returns the recorded attempt. */
async function sendAttemptAndRecord<Target>(
  environment: DeliveryJobDependencies<Target>,
  delivery: ClaimedDelivery<Target>,
  { signal, log }: JobContext,
): Promise<RecordedDeliveryAttempt> {
  const { source, faultPoint } = environment;
  faultPoint?.('delivery.before-send');
  const outcome = await attemptDeliveryOrRelease(environment, delivery, signal);
  faultPoint?.('delivery.after-send');
  const next = await recordDeliveryOutcome(environment, delivery, outcome);
  const { response, durationMs, error } = outcome.record;
  const about = source.logFields?.(delivery);
  const fields = {
    deliveryId: delivery.id,
    ...about,
    attempts: delivery.attempt,
    responseStatus: response?.status,
    durationMs,
    error,
  };
  if (next.status === 'failed') log.warn(fields, 'webhook delivery failed');
  else log.info(fields, next.status === 'succeeded' ? 'webhook delivered' : 'webhook delivery will be retried');
  return { outcome, ...next };
}

async function attemptDeliveryOrRelease<Target>(
  environment: DeliveryJobDependencies<Target>,
  delivery: ClaimedDelivery<Target>,
  signal: AbortSignal,
): Promise<DeliveryAttemptOutcome> {
  try {
    return await makeDeliveryAttempt(delivery, environment, signal);
  } catch (error) {
    await environment.store.releaseAbortedAttempt(environment.database, delivery);
    throw error;
  }
}

/**
 * Records the outcome of a delivery attempt. Returns the new state of the delivery, and the deliveries that are due
 * next. For a retry, this is the same delivery; otherwise a delivery that waited for this delivery.
 */
async function recordDeliveryOutcome<Target>(
  environment: DeliveryJobDependencies<Target>,
  delivery: ClaimedDelivery<Target>,
  outcome: DeliveryAttemptOutcome,
): Promise<{ status: 'queued' | 'succeeded' | 'failed'; due: WebhookDeliveryNeedingJob[] }> {
  const { database, store, settings, random, count } = environment;
  const { result, retryAfterMs, record } = outcome;
  const failures = delivery.tries;
  const delayMs = result === 'retry' ? nextDelayMs(settings.retry, { failures, retryAfterMs, random: random() }) : null;
  if (delayMs !== null) {
    const due = await store.scheduleNextAttempt(database, delivery, delayMs, record);
    if (due.length > 0) count('retried', delivery);
    return { status: 'queued', due };
  }
  const status = result === 'succeeded' ? 'succeeded' : 'failed';
  const isRecorded = await store.finish(database, delivery, status, record);
  if (isRecorded) count(status === 'succeeded' ? 'delivered' : 'failed', delivery);
  // A separate statement: in the same one, a delivery that is checked at that moment could be missed.
  return { status, due: await store.makeNextDeliveryDue(database, delivery.id) };
}
