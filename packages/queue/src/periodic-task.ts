import type { QueueClock } from './environment.js';

/** Function that {@link PeriodicTask} runs, and the pause between two runs. */
export interface PeriodicTaskOptions {
  readonly clock: QueueClock;
  /**
   * Function that is run periodically. If the function fails, its error is passed to `failed`, and the function runs
   * again after the next interval.
   */
  readonly run: () => Promise<void>;
  readonly failed: (error: unknown) => void;
  /**
   * Function that returns the milliseconds to wait before the next run of the task, given the duration of the last run
   * in milliseconds.
   */
  readonly restMs: (tookMs: number) => number;
}

/** Runs a task at startup and then repeatedly. Two runs never overlap. */
export class PeriodicTask {
  #timer: unknown;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly options: PeriodicTaskOptions) {}

  /** True after `stop` was called. A long run of the task checks this flag between its parts. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Starts the first run of the task immediately. */
  start(): void {
    this.#stopped = false;
    this.#schedule(0);
  }

  /** Stops the periodic task. Resolves after the current run. */
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
