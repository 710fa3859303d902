import type { QueueClock } from '../environment.js';

/**
 * Turns that come at most once every `paceMs`: the first comes at once, one that follows closely waits for the rest of
 * the time. Calls must not overlap; {@link hurry} ends every wait.
 */
export class Pace {
  private lastBegan = -Infinity;
  private hurried = false;
  private wake: () => void = () => {};

  constructor(
    private readonly paceMs: number,
    private readonly clock: QueueClock,
  ) {}

  /** Settles when the next turn has come. */
  async turn(): Promise<void> {
    const waitMs = this.lastBegan + this.paceMs - this.clock.now();
    if (waitMs > 0 && !this.hurried) await this.sleep(waitMs);
    this.lastBegan = this.clock.now();
  }

  /** From now on nothing waits: the process is stopping. */
  hurry(): void {
    this.hurried = true;
    this.wake();
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.clock.setTimeout(resolve, ms);
      this.wake = () => {
        this.clock.clearTimeout(timer);
        resolve();
      };
    });
  }
}
