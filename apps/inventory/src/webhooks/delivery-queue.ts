import { defineJob, type JobDefinition, type Jobs, type TraceContext } from '@switchboard/queue';
import { z } from 'zod';
import type { WebhookSettings } from './settings.js';

/** Payload of the job that makes an attempt of a delivery. */
export interface DeliveryJob {
  readonly deliveryId: string;
  /** Receiver whose concurrency slots the job uses, see {@link receiverSql}; null for none. */
  readonly receiver: string | null;
  /** True if an operator requested the attempt. It is then made even if the circuit breaker is open. */
  readonly byHand?: boolean | undefined;
}

const deliveryJob = z.object({
  deliveryId: z.uuid(),
  // Jobs that an older version added have no receiver.
  receiver: z.string().nullable().default(null),
  byHand: z.boolean().optional(),
});

/** Definition of the delivery job. */
export type DeliveryJobDefinition = JobDefinition<DeliveryJob, z.input<typeof deliveryJob>>;

/** A delivery that needs a job. */
export interface DueDelivery {
  readonly id: string;
  /** Due time in milliseconds since the epoch: `next_attempt_at` of the row. */
  readonly dueMs: number;
  /** Time until it is due by the clock of the database, in milliseconds. */
  readonly delayMs: number;
  readonly receiver: string | null;
}

/** A newly recorded delivery. */
export interface NewDeliveryJob {
  readonly id: string;
  readonly receiver: string | null;
  /** Trace context of the request that caused the delivery. */
  readonly context: TraceContext;
  /** True if the request changed many objects. Deliveries of other requests are then preferred. */
  readonly isBulk?: boolean;
}

/** A delivery whose due time has passed. */
export interface OverdueDelivery extends DueDelivery {
  /** Number of attempts so far. */
  readonly attempts: number;
}

/**
 * Defines the job that makes one attempt. The job fails only if the outcome cannot be recorded. Retries of the delivery
 * follow from its row, not from attempts of the job.
 */
export function defineDeliveryJob(settings: WebhookSettings): DeliveryJobDefinition {
  return defineJob({
    name: 'webhooks.deliver',
    payload: deliveryJob,
    concurrency: settings.concurrency,
    rateLimit: { key: ({ receiver }) => receiver, concurrency: settings.destinationConcurrency },
    timeoutMs: settings.leaseMs,
    attempts: 3,
    backoff: { initialMs: 1_000, maxMs: 10_000 },
    keepCompletedSeconds: 60,
  });
}

/** Adds jobs for deliveries. The sweep adds jobs again that Redis rejected or lost. */
export class DeliveryQueue {
  readonly definition: DeliveryJobDefinition;
  readonly #jobs: Jobs;

  constructor(jobs: Jobs, definition: DeliveryJobDefinition) {
    this.#jobs = jobs;
    this.definition = definition;
  }

  /** Adds jobs for new deliveries. The id of the job is that of the delivery. */
  async addFirst(deliveries: readonly NewDeliveryJob[]): Promise<void> {
    const jobs = deliveries.map(({ id, receiver, context, isBulk = false }) => ({
      payload: { deliveryId: id, receiver },
      id,
      context,
      isBulk,
    }));
    await this.#jobs.addBulk(this.definition, jobs);
  }

  /**
   * Adds jobs for further attempts. The job's id includes the due time, because the job of the previous attempt may
   * still exist. Adding a job twice has no effect.
   *
   * @param byHand true if an operator requested the attempts; see {@link DeliveryJob}
   */
  async addDue(deliveries: readonly DueDelivery[], { byHand }: Pick<DeliveryJob, 'byHand'> = {}): Promise<void> {
    const jobs = deliveries.map(({ id, dueMs, delayMs, receiver }) => ({
      payload: { deliveryId: id, receiver, byHand },
      id: `${id}-${dueMs}`,
      delayMs,
    }));
    await this.#jobs.addBulk(this.definition, jobs);
  }

  /**
   * Returns the deliveries that have no job. The job of {@link addFirst} counts until the delivery is claimed; later
   * attempts have their own job or none. A running job has claimed its delivery, unless its process died.
   *
   * @throws RedisUnavailableError if Redis cannot be reached
   */
  async withoutJob(deliveries: readonly OverdueDelivery[]): Promise<string[]> {
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
