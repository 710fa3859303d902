import { defineJob, type JobDefinition, type Jobs, type TraceContext } from '@switchboard/queue';
import { z } from 'zod';
import type { WebhookSettings } from './settings.js';

/** Payload of the job that moves one delivery. */
export interface DeliveryJob {
  readonly deliveryId: string;
  /** The receiver whose slots the job uses; see {@link receiverSql}. Null for no receiver. */
  readonly receiver: string | null;
  /** True if an operator requested the attempt, which ignores an open circuit breaker. */
  readonly byHand?: boolean | undefined;
}

const deliveryJob = z.object({
  deliveryId: z.uuid(),
  // Jobs of an older version name no receiver.
  receiver: z.string().nullable().default(null),
  byHand: z.boolean().optional(),
});

/** The kind of job that moves deliveries. */
export type DeliveryJobDefinition = JobDefinition<DeliveryJob, z.input<typeof deliveryJob>>;

/** A delivery that a job is due for. */
export interface DueDelivery {
  readonly id: string;
  /** When, milliseconds since 1970: the `next_attempt_at` of the row. */
  readonly dueMs: number;
  /** Time until then by the database's clock, in milliseconds. */
  readonly delayMs: number;
  readonly receiver: string | null;
}

/** A delivery that was just recorded. */
export interface NewDeliveryJob {
  readonly id: string;
  readonly receiver: string | null;
  /** The request that caused it. */
  readonly context: TraceContext;
  /** True if the request changed many objects: deliveries of other requests go first. */
  readonly isBulk?: boolean;
}

/** A delivery whose due time has passed. */
export interface OverdueDelivery extends DueDelivery {
  /** Number of attempts so far. */
  readonly attempts: number;
}

/**
 * Job that makes one attempt. It fails only if the attempt cannot be recorded; retries of a delivery follow from its
 * row, not from job attempts.
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

/** Adds jobs for deliveries. The sweep repeats jobs that Redis rejects or loses. */
export class DeliveryQueue {
  readonly definition: DeliveryJobDefinition;
  readonly #jobs: Jobs;

  constructor(jobs: Jobs, definition: DeliveryJobDefinition) {
    this.#jobs = jobs;
    this.definition = definition;
  }

  /** Jobs for deliveries that were just recorded: the id of each is the delivery's. */
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
   * Jobs for deliveries that go on. The id names the moment they are due as well, because the job of the attempt
   * before may still be known; adding one twice does nothing.
   *
   * @param byHand see {@link DeliveryJob}
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
   * Returns the deliveries without a job. A job of {@link addFirst} counts until the delivery is claimed; later
   * attempts have a job of their own, or none. A running job has claimed its delivery, unless its process died.
   * @throws RedisUnavailableError while Redis is unavailable
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
