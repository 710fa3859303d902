import { defineJob, type JobDefinition, type Jobs, type TraceContext } from '@switchboard/queue';
import { z } from 'zod';
import type { WebhookSettings } from './settings.js';

/** Payload of the job that moves one delivery. */
export interface DeliveryJob {
  readonly deliveryId: string;
  /** The receiver whose slots the job uses; see {@link receiverSql}. Null for no receiver. */
  readonly receiver: string | null;
  /** True if an operator asked for the attempt: it is made although the breaker of the receiver is open. */
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

/** A delivery whose moment has passed. */
export interface OverdueDelivery extends DueDelivery {
  /** Attempts begun so far. */
  readonly attempts: number;
}

/**
 * The job that makes one attempt. It fails only when the attempt cannot be recorded; what becomes of a delivery whose
 * receiver fails is decided by its row, not by the job's attempts.
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

/** Gives deliveries the jobs that move them. What Redis refuses or loses, the sweep finds. */
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
   * Those of the deliveries that no job moves. A job that {@link addFirst} added counts as long as nobody has taken the
   * delivery; what became of it afterwards has the job of its moment, or none. A job that runs has taken its delivery, or
   * its process died before.
   *
   * @throws RedisUnavailableError while Redis is away
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
