import { defineJob, type JobDefinition, type Jobs, type TraceContext } from '@switchboard/queue';
import { z } from 'zod';
import type { WebhookDeliverySettings } from './webhook-settings.js';

/** Payload of the job that makes one attempt of a webhook delivery. */
export interface DeliveryAttemptJobPayload {
  readonly deliveryId: string;
  /**
   * Receiver of the delivery, whose concurrency limit applies to the job; see `DeliveryTables.receiverSql`. Null for a
   * delivery without a receiver.
   */
  readonly receiver: string | null;
  /**
   * True if an operator requested the attempt. The attempt is then made even if the receiver's circuit breaker is open.
   */
  readonly byHand?: boolean | undefined;
}

const deliveryAttemptJobPayloadSchema = z.object({
  deliveryId: z.uuid(),
  // Jobs that an older version added have no receiver.
  receiver: z.string().nullable().default(null),
  byHand: z.boolean().optional(),
});

/** Type of the definition of the delivery job. */
export type DeliveryAttemptJobDefinition = JobDefinition<
  DeliveryAttemptJobPayload,
  z.input<typeof deliveryAttemptJobPayloadSchema>
>;

/** A webhook delivery that needs a job. */
export interface WebhookDeliveryNeedingJob {
  readonly id: string;
  /**
   * Time at which the delivery is due, in milliseconds since 1970. The value is the column `next_attempt_at` of the
   * delivery's row.
   */
  readonly dueMs: number;
  /** Time until the delivery is due by the clock of the database, in milliseconds. */
  readonly delayMs: number;
  readonly receiver: string | null;
}

/** A webhook delivery that was just created. */
export interface NewWebhookDeliveryJob {
  readonly id: string;
  readonly receiver: string | null;
  /** Trace context of the request that caused the webhook delivery. */
  readonly context: TraceContext;
  /** True if the request that caused the delivery changed many objects. Deliveries of other requests then run first. */
  readonly isBulk?: boolean;
}

/** A webhook delivery whose due time has passed. */
export interface OverdueDelivery extends WebhookDeliveryNeedingJob {
  /** Number of attempts of the delivery so far. */
  readonly attempts: number;
}

/**
 * Defines the job that makes one attempt of a webhook delivery. The service must pass the definition to `Jobs`. The job
 * fails only if the outcome of the delivery attempt cannot be recorded. Retries of the delivery follow from the
 * delivery's row, not from attempts of the job.
 *
 * @param name prefix of the job's name, which must equal the name of the delivery engine
 */
export function defineDeliveryJob(
  { concurrency, destinationConcurrency, leaseMs }: WebhookDeliverySettings,
  name = 'webhooks',
): DeliveryAttemptJobDefinition {
  return defineJob({
    name: `${name}.deliver`,
    payload: deliveryAttemptJobPayloadSchema,
    concurrency,
    rateLimit: { key: ({ receiver }) => receiver, concurrency: destinationConcurrency },
    timeoutMs: leaseMs,
    attempts: 3,
    backoff: { initialMs: 1_000, maxMs: 10_000 },
    keepCompletedSeconds: 60,
  });
}

/** Adds jobs for webhook deliveries. If Redis rejects or loses a job, a periodic check adds the job again. */
export class DeliveryQueue {
  readonly definition: DeliveryAttemptJobDefinition;
  readonly #jobs: Jobs;

  constructor(jobs: Jobs, definition: DeliveryAttemptJobDefinition) {
    this.#jobs = jobs;
    this.definition = definition;
  }

  /** Adds jobs for the first attempts of new webhook deliveries. Each job has the id of its delivery. */
  async addFirstAttempts(deliveries: readonly NewWebhookDeliveryJob[]): Promise<void> {
    const jobs = deliveries.map(({ id, receiver, context, isBulk = false }) => ({
      payload: { deliveryId: id, receiver },
      id,
      context,
      isBulk,
    }));
    await this.#jobs.addBulk(this.definition, jobs);
  }

  /**
   * Adds jobs for further attempts of webhook deliveries. The id of a job includes the due time, because the job of the
   * previous attempt may still exist. If the job already exists, the call has no effect.
   *
   * @param byHand true if an operator requested the attempts
   */
  async addFurtherAttempts(
    deliveries: readonly WebhookDeliveryNeedingJob[],
    { byHand }: Pick<DeliveryAttemptJobPayload, 'byHand'> = {},
  ): Promise<void> {
    const jobs = deliveries.map(({ id, dueMs, delayMs, receiver }) => ({
      payload: { deliveryId: id, receiver, byHand },
      id: `${id}-${dueMs}`,
      delayMs,
    }));
    await this.#jobs.addBulk(this.definition, jobs);
  }

  /**
   * Returns the ids of those of the given deliveries that have no job. The job of {@link addFirstAttempts} counts only
   * until the delivery is claimed, because later attempts have a separate job or no job. A running job has claimed its
   * delivery, unless the job's process died.
   *
   * @throws RedisUnavailableError if Redis cannot be reached
   */
  async listDeliveriesWithoutJob(deliveries: readonly OverdueDelivery[]): Promise<string[]> {
    const named = deliveries.map(({ id, dueMs, attempts }) => ({
      id,
      jobs: [`${id}-${dueMs}`, ...(attempts === 0 ? [id] : [])],
    }));
    const pending = await this.#jobs.pending(
      this.definition,
      named.flatMap(({ jobs }) => jobs),
    );
    return named.filter(({ jobs }) => !jobs.some((job) => pending.has(job))).map(({ id }) => id);
  }
}
