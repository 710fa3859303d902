import type { QueueClock } from './environment.js';

/** Options of {@link PeriodicTask}. */
export interface PeriodicTaskOptions {
  readonly clock: QueueClock;
  /**
   * Function that is run periodically. If it fails, its error is passed to `failed`, and it runs again after the next
   * interval.
   */
  readonly run: () => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** Returns the milliseconds to wait before the next run, given the duration of the last run. */
  readonly restMs: (tookMs: number) => number;
}

/** Runs a task at startup and then repeatedly; runs never overlap. */
export class PeriodicTask {
  #timer: unknown;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly options: PeriodicTaskOptions) {}

  /** True after `stop` was called. Long runs check this flag between parts. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Starts the first run of the task immediately. */
  start(): void {
    this.#stopped = false;
    this.#schedule(0);
  }

  /** Stops after the current run of the task. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.options.clock.clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(delayMs: number): void {
    const { clock, run, failed, restMs } = this.options;
    this.#timer = clock.setTimeout(() => {
      const startedMs = clock.now();
      this.#running = run()
        .catch(failed)
        .then(() => {
          if (!this.#stopped) this.#schedule(restMs(clock.now() - startedMs));
        });
    }, delayMs);
  }
}
