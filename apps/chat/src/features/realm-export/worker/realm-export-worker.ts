import type { Clock, Logger, ClockTimer } from '@switchboard/platform';
import type { RunRealmExports } from './run-realm-exports.js';

export interface RealmExportWorkerOptions {
  readonly exports: Pick<RunRealmExports, 'run'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** Interval between two searches for requested exports, in milliseconds. */
  readonly pollMs: number;
}

/** Background worker that periodically searches for requested exports and creates the archives one after another. */
export class RealmExportWorker {
  #isStopped = false;
  #endSleep: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: RealmExportWorkerOptions) {}

  start(): void {
    this.#running = this.#work();
  }

  /** Stops the worker after the current export step. Another worker can continue the export immediately. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endSleep();
    await this.#running;
  }

  async #work(): Promise<void> {
    const { exports, logger } = this.options;
    while (!this.#isStopped) {
      try {
        if (await exports.run(() => this.#isStopped)) continue;
      } catch (error) {
        logger.warn({ err: error }, 'requested exports could not be read');
      }
      await this.#sleep();
    }
  }

  async #sleep(): Promise<void> {
    if (this.#isStopped) return;
    const { clock, pollMs } = this.options;
    let timer: ClockTimer | undefined;
    await new Promise<void>((resolve) => {
      this.#endSleep = resolve;
      timer = clock.setTimeout(resolve, pollMs);
    });
    if (timer !== undefined) clock.clearTimeout(timer);
  }
}
