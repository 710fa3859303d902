import { PeriodicTask, type QueueClock, type QueueLogger, type QueueTx } from '@switchboard/queue';
import type { DeliveryQueue } from './delivery-queue.js';
import { firstOverdueDeliveryPosition, type DeliveryStore, type OverdueDeliveryPosition } from './delivery-store.js';
import type { WebhookDeliverySettings } from './webhook-settings.js';

/** Number of deliveries that one SQL statement of the periodic check for lost jobs reads. */
const deliveriesPerLostJobQuery = 500;

/**
 * Returns the pause before the next check for deliveries without a job, in milliseconds. A check reads every overdue
 * delivery, including deliveries that wait for earlier deliveries. A check of 100,000 deliveries takes 0.9 s. The pause
 * is 20 times the duration of the last check, but at most 6 times `sweepMs`. The maximum is needed because an
 * unavailable database may have slowed the last check.
 */
export function getPauseBeforeSearchMs(tookMs: number, sweepMs: number): number {
  return Math.min(Math.max(sweepMs, 20 * tookMs), 6 * sweepMs);
}

export interface LostDeliveryJobRestorerDependencies {
  readonly database: QueueTx;
  readonly store: DeliveryStore<unknown>;
  readonly queue: DeliveryQueue;
  readonly settings: Pick<WebhookDeliverySettings, 'sweepMs' | 'overdueMs'>;
  readonly clock: QueueClock;
  readonly logger: QueueLogger;
}

/**
 * Adds jobs for webhook deliveries without a job. A job can be missing because Redis lost it or was unavailable, or
 * because a process died. Several processes can run this periodic check.
 */
export class LostDeliveryJobRestorer {
  readonly #environment: LostDeliveryJobRestorerDependencies;
  readonly #repeating: PeriodicTask;

  constructor(environment: LostDeliveryJobRestorerDependencies) {
    const { settings, clock, logger } = environment;
    this.#environment = environment;
    this.#repeating = new PeriodicTask({
      clock,
      run: async () => {
        const count = await this.addMissingDeliveryJobs();
        if (count > 0) logger.warn({ count }, 'enqueued webhook deliveries that had no job');
      },
      failed: (error) => logger.warn({ err: error }, 'webhook sweep failed'),
      restMs: (tookMs) => getPauseBeforeSearchMs(tookMs, settings.sweepMs),
    });
  }

  /** Starts the periodic search for deliveries without a job. The first search runs at startup. */
  startPeriodicSearch(): void {
    this.#repeating.start();
  }

  /** Stops the periodic search for deliveries without a job after the current search. */
  stopPeriodicSearch(): Promise<void> {
    return this.#repeating.stop();
  }

  /**
   * Adds jobs for overdue deliveries without a job, and returns the number of added jobs. Deliveries with a job are
   * skipped, because second jobs would delay other deliveries in a backlog.
   *
   * @throws RedisUnavailableError before any change, if Redis cannot be reached
   */
  async addMissingDeliveryJobs(): Promise<number> {
    const { database, store, queue, settings } = this.#environment;
    const { overdueMs } = settings;
    let total = 0;
    let position: OverdueDeliveryPosition | null = firstOverdueDeliveryPosition;
    while (position !== null && !this.#repeating.isStopped) {
      const overdue = await store.listOverdue(database, {
        overdueMs,
        after: position,
        limit: deliveriesPerLostJobQuery,
      });
      const due = await store.renewOverdueDeliveries(
        database,
        await queue.listDeliveriesWithoutJob(overdue.deliveries),
        overdueMs,
      );
      await queue.addFurtherAttempts(due);
      total += due.length;
      position = overdue.next;
    }
    return total;
  }
}
