import type { Database } from '@switchboard/database';
import type { Clock, Logger, ClockTimer } from '@switchboard/platform';
import type { DeliverScheduledMessages } from './deliver-scheduled-messages.js';
import { readNextScheduledMessageTime } from './due-messages.repository.js';

/** Minimum pause in milliseconds after a query that found no due scheduled messages. */
const minDeliveryPauseMs = 50;

export interface ScheduledMessageWorkerOptions {
  readonly delivery: Pick<DeliverScheduledMessages, 'run'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** Maximum interval between two queries for due scheduled messages, in milliseconds. */
  readonly pollMs: number;
}

/**
 * Background worker that sends scheduled messages when the messages are due. The worker sleeps until the next message
 * is due, but at most `pollMs` milliseconds. {@link wake} ends the sleep when a process has added or changed a message.
 */
export class ScheduledMessageWorker {
  #isStopped = false;
  #isWoken = false;
  #endSleep: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: ScheduledMessageWorkerOptions) {}

  start(): void {
    this.#running = this.#work();
  }

  /** Ends the worker's sleep, so that the worker reads the time of the next due message. */
  wake(): void {
    this.#isWoken = true;
    this.#endSleep();
  }

  /** Stops the worker after the transaction that is currently running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endSleep();
    await this.#running;
  }

  async #work(): Promise<void> {
    const { delivery, logger, pollMs } = this.options;
    while (!this.#isStopped) {
      this.#isWoken = false;
      let pauseMs = pollMs;
      try {
        if ((await delivery.run(() => this.#isStopped)) > 0) continue;
        pauseMs = await this.#timeUntilNext();
      } catch (error) {
        logger.warn({ err: error }, 'due scheduled messages could not be read');
      }
      await this.#sleep(pauseMs);
    }
  }

  async #timeUntilNext(): Promise<number> {
    const { database, clock, pollMs } = this.options;
    const next = await readNextScheduledMessageTime(database);
    if (next === null) return pollMs;
    // A message that is due now is locked by another transaction.
    return Math.min(Math.max(next - clock.now(), minDeliveryPauseMs), pollMs);
  }

  async #sleep(pauseMs: number): Promise<void> {
    if (this.#isStopped || this.#isWoken) return;
    const { clock } = this.options;
    let timer: ClockTimer | undefined;
    await new Promise<void>((resolve) => {
      this.#endSleep = resolve;
      timer = clock.setTimeout(resolve, pauseMs);
    });
    if (timer !== undefined) clock.clearTimeout(timer);
  }
}
