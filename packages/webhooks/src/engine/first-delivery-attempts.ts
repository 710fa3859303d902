import {
  JobCancelledError,
  type InlineRunner,
  type Jobs,
  type QueueLogger,
  type QueueTx,
  type TraceContext,
} from '@switchboard/queue';
import type { CircuitBreakers } from './circuit-breakers.js';
import type { DeliveryAttemptJobPayload, DeliveryQueue, NewWebhookDeliveryJob } from './delivery-queue.js';
import type { DeliveryStore } from './delivery-store.js';
import type { ClaimedDelivery } from './endpoint-source.js';

export interface FirstDeliveryAttemptsDependencies<Target> {
  readonly database: QueueTx;
  readonly store: DeliveryStore<Target>;
  readonly jobs: Jobs;
  readonly breakers: CircuitBreakers;
  readonly queue: DeliveryQueue;
  readonly logger: QueueLogger;
}

/** A webhook delivery that an SQL statement will create and may also claim. */
export interface PlannedDelivery {
  readonly id: string;
  readonly receiver: string | null;
  /**
   * Text that is equal for deliveries that must be sent one after another. If one statement creates several deliveries
   * with equal texts, only the first delivery is claimed.
   */
  readonly lane: string;
}

/** A planned webhook delivery with the decision about its first attempt. */
export interface PlannedFirstDeliveryAttempt extends PlannedDelivery {
  /**
   * True if the statement that creates the delivery also claims the delivery. The statement makes no claim if an
   * earlier delivery with the same `lane` is queued.
   */
  readonly claims: boolean;
}

/** Webhook deliveries that a statement has created and whose first attempts begin now. */
export interface CreatedDeliveries<Target> {
  readonly planned: readonly PlannedFirstDeliveryAttempt[];
  /**
   * Request data of the deliveries that the statement has claimed, by delivery id. The data is null if the endpoint was
   * deleted.
   */
  readonly claimed: ReadonlyMap<string, Target | null>;
  /** Payload that all created deliveries have. */
  readonly payload: string;
  /** Trace context of the request that caused the webhook deliveries. */
  readonly context: TraceContext;
}

/**
 * First attempts that begin in the process that created the deliveries, without jobs. The statement that creates a
 * delivery also claims the delivery (docs/adr/0014). If the process dies, its claims expire like the claims of jobs.
 */
export class FirstAttempts<Target> {
  /** Claimed deliveries whose attempts have not begun, by delivery id. */
  readonly claimed = new Map<string, ClaimedDelivery<Target>>();

  constructor(private readonly environment: FirstDeliveryAttemptsDependencies<Target>) {}

  /** Returns the runner of first attempts, or null while this process sends no deliveries. */
  findInlineAttemptRunner(): InlineRunner<DeliveryAttemptJobPayload> | null {
    return this.environment.jobs.inlineRunner(this.environment.queue.definition);
  }

  /**
   * Decides which deliveries the creating statement claims. A delivery is claimed if this process has capacity and the
   * circuit breaker of the receiver is closed.
   */
  planInlineAttempts(
    deliveries: readonly PlannedDelivery[],
    runner: InlineRunner<DeliveryAttemptJobPayload>,
  ): PlannedFirstDeliveryAttempt[] {
    const seen = new Set<string>();
    return deliveries.map((delivery) => {
      const { id, receiver, lane } = delivery;
      const isFirst = !seen.has(lane);
      seen.add(lane);
      const hasRoom = runner.hasRoom({ deliveryId: id, receiver });
      return { ...delivery, claims: isFirst && hasRoom && !this.environment.breakers.isReceiverSuspended(receiver) };
    });
  }

  /**
   * Begins the attempts of claimed deliveries, and adds jobs for the other deliveries. The caller must call the method
   * after the commit.
   */
  async beginFirstAttempts(
    { planned, claimed, payload, context }: CreatedDeliveries<Target>,
    runner: InlineRunner<DeliveryAttemptJobPayload>,
  ): Promise<void> {
    const waiting: NewWebhookDeliveryJob[] = [];
    for (const { id, receiver } of planned) {
      const asJob = { id, receiver, context };
      const target = claimed.get(id);
      if (target === undefined) {
        waiting.push(asJob);
        continue;
      }
      const delivery = { id, attempt: 1, tries: 1, payload, target };
      this.claimed.set(id, delivery);
      const run = runner.run({ deliveryId: id, receiver }, id, context);
      if (run !== null) this.#recoverIfInterrupted(run, asJob);
      else if (await this.#releaseClaim(delivery)) waiting.push(asJob);
    }
    await this.environment.queue.addFirstAttempts(waiting);
  }

  /**
   * Releases a claimed delivery whose attempt could not begin, because this process had no capacity. Returns false if
   * the release failed; the lease of the delivery must then expire.
   */
  async #releaseClaim(delivery: ClaimedDelivery<Target>): Promise<boolean> {
    this.claimed.delete(delivery.id);
    const { database, store, logger } = this.environment;
    try {
      await store.releaseAbortedAttempt(database, delivery);
      return true;
    } catch (error) {
      logger.warn({ deliveryId: delivery.id, err: error }, 'a claimed webhook delivery could not be released');
      return false;
    }
  }

  /**
   * Adds a job for a delivery if its first attempt was interrupted or could not be recorded. If the job cannot be
   * added, {@link LostDeliveryJobRestorer} adds it later.
   */
  #recoverIfInterrupted(run: Promise<void>, job: NewWebhookDeliveryJob): void {
    const { queue, logger } = this.environment;
    run
      .catch(async (error: unknown) => {
        this.claimed.delete(job.id);
        // The operator's action has already updated the row.
        if (error instanceof JobCancelledError) return;
        logger.warn(
          { deliveryId: job.id, err: error },
          'first attempt of a webhook delivery failed before it was recorded, adding a job',
        );
        await queue.addFirstAttempts([job]);
      })
      .catch((error: unknown) =>
        logger.warn(
          { deliveryId: job.id, err: error },
          'job of a webhook delivery could not be added, the sweep will retry',
        ),
      );
  }
}
