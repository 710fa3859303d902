import type { QueueClock, QueueLogger, QueueTx } from '@switchboard/queue';
import type { DeliveryQueue } from './delivery-queue.js';
import { takeOverdueDeliveries } from './delivery-store.js';
import type { WebhookSettings } from './settings.js';

/** Deliveries that one statement takes. */
const batchSize = 500;

/** What the sweep works with. */
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
  #timer: unknown;
  #running: Promise<void> = Promise.resolve();
  #stopped = true;

  constructor(environment: SweepEnvironment) {
    this.#environment = environment;
  }

  /** Sweeps now and then again and again. */
  start(): void {
    this.#stopped = false;
    this.#schedule(0);
  }

  /** Ends with the sweep that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#environment.clock.clearTimeout(this.#timer);
    await this.#running;
  }

  /** One sweep. Returns how many deliveries were given a job. */
  async run(): Promise<number> {
    const { database, queue, settings } = this.#environment;
    let total = 0;
    for (;;) {
      const due = await takeOverdueDeliveries(database, settings.overdueMs, batchSize);
      await queue.addDue(due);
      total += due.length;
      if (due.length < batchSize || this.#stopped) return total;
    }
  }

  #schedule(delayMs: number): void {
    this.#timer = this.#environment.clock.setTimeout(() => {
      this.#running = this.#runLogged().then(() => {
        if (!this.#stopped) this.#schedule(this.#environment.settings.sweepMs);
      });
    }, delayMs);
  }

  async #runLogged(): Promise<void> {
    const { logger } = this.#environment;
    try {
      const count = await this.run();
      if (count > 0) logger.warn({ count }, 'webhook deliveries waited without a job');
    } catch (error) {
      logger.warn({ error: error instanceof Error ? error.message : String(error) }, 'webhook sweep failed');
    }
  }
}
