import type { Clock, Logger, ClockTimer } from '@switchboard/platform';
import type { RunRealmExports } from './run-realm-exports.js';

/** Dependencies of {@link RealmExportWorker}. */
export interface RealmExportWorkerOptions {
  readonly exports: Pick<RunRealmExports, 'run'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** Time between two searches for requested exports, in milliseconds. */
  readonly pollMs: number;
}

/** Searches for requested exports and makes them one after another. */
export class RealmExportWorker {
  #isStopped = false;
  #endSleep: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: RealmExportWorkerOptions) {}

  start(): void {
    this.#running = this.#work();
  }

  /** Stops after the current step, if one is running. Another worker continues the export immediately. */
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
