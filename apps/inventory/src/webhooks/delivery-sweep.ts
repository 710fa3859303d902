import type { QueueClock, QueueLogger, QueueTx } from '@switchboard/queue';
import { Repeating } from '../repeating.js';
import type { DeliveryQueue } from './delivery-queue.js';
import { listOverdueDeliveries, renewDeliveries } from './delivery-store.js';
import type { WebhookSettings } from './settings.js';

/** Deliveries that one statement takes. */
const batchSize = 500;

/**
 * Time until the next sweep, in milliseconds. A sweep looks at every overdue delivery, those too that wait for an
 * earlier one (0.9 s for 100,000 of them, measured): it rests 20 times as long as it took, but at most 6 times
 * `sweepMs`, for it may have taken long because the database was away.
 */
export function restMs(tookMs: number, sweepMs: number): number {
  return Math.min(Math.max(sweepMs, 20 * tookMs), 6 * sweepMs);
}

/** Dependencies of the sweep. */
export interface SweepEnvironment {
  readonly database: QueueTx;
  readonly queue: DeliveryQueue;
  readonly settings: WebhookSettings;
  readonly clock: QueueClock;
  readonly logger: QueueLogger;
}

/**
 * Gives a job to deliveries that wait without one: Redis lost it or was away, or the process that had it died. Any
 * number of processes may sweep.
 */
export class DeliverySweep {
  readonly #environment: SweepEnvironment;
  readonly #repeating: Repeating;

  constructor(environment: SweepEnvironment) {
    const { settings, clock, logger } = environment;
    this.#environment = environment;
    this.#repeating = new Repeating({
      clock,
      run: async () => {
        const count = await this.run();
        if (count > 0) logger.warn({ count }, 'webhook deliveries waited without a job');
      },
      failed: (error) => logger.warn({ err: error }, 'webhook sweep failed'),
      restMs: (tookMs) => restMs(tookMs, settings.sweepMs),
    });
  }

  /** Sweeps now and then again and again. */
  start(): void {
    this.#repeating.start();
  }

  /** Ends with the sweep that is under way. */
  stop(): Promise<void> {
    return this.#repeating.stop();
  }

  /**
   * One sweep. Returns how many deliveries were given a job. In a backlog nearly all that are overdue have theirs, and
   * are left to it: a second one for each would hold up the first ones of others.
   *
   * @throws RedisUnavailableError before anything is changed, while Redis is away
   */
  async run(): Promise<number> {
    const { database, queue, settings } = this.#environment;
    const { overdueMs } = settings;
    let total = 0;
    for (let sequence = 0; ;) {
      const overdue = await listOverdueDeliveries(database, { overdueMs, sequence, limit: batchSize });
      const due = await renewDeliveries(database, await queue.withoutJob(overdue), overdueMs);
      await queue.addDue(due);
      total += due.length;
      sequence = overdue.at(-1)?.sequence ?? sequence;
      if (overdue.length < batchSize || this.#repeating.stopped) return total;
    }
  }
}
