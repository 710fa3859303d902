import type { QueueClock } from '@switchboard/queue';

/** Work that comes back. */
export interface RepeatingOptions {
  readonly clock: QueueClock;
  /** The task. A failure is told to `failed`, and the work comes back all the same. */
  readonly run: () => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** Milliseconds until the next time, given how many this one took. */
  readonly restMs: (tookMs: number) => number;
}

/** Does something now and then again and again, never twice at once. */
export class Repeating {
  #timer: unknown;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly options: RepeatingOptions) {}

  /** Whether it is not to go on: long work looks at it between its parts. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Begins now. */
  start(): void {
    this.#stopped = false;
    this.#schedule(0);
  }

  /** Ends with what is under way. */
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
