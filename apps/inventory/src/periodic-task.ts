import type { QueueClock } from '@switchboard/queue';

/** Options of a periodic task. */
export interface PeriodicTaskOptions {
  readonly clock: QueueClock;
  /** The task. If it fails, the error is passed to `failed`, and the task runs again at the next interval. */
  readonly run: () => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** Returns the milliseconds until the next run, given the duration of the last one. */
  readonly restMs: (tookMs: number) => number;
}

/** Runs a task at startup and then repeatedly; runs never overlap. */
export class PeriodicTask {
  #timer: unknown;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly options: PeriodicTaskOptions) {}

  /** True after `stop` was called. Long tasks check it between parts. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Starts the first run immediately. */
  start(): void {
    this.#stopped = false;
    this.#schedule(0);
  }

  /** Stops after the current run. */
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
