import type { QueueClock } from '../environment.js';

/** Number of rows of a turn that indicates load: single writers in sequence have one row each. */
const LOAD_ROWS = 3;

/**
 * Limits turns under load to one every `paceMs`, so that rows accumulate: a turn soon after one that took several rows
 * waits for the rest of the interval. Without load each turn starts immediately. Calls must not overlap; {@link hurry}
 * ends every wait.
 */
export class Pace {
  private lastBegan = -Infinity;
  private loaded = false;
  private hurried = false;
  private wake: () => void = () => {};

  constructor(
    private readonly paceMs: number,
    private readonly clock: QueueClock,
  ) {}

  /** Resolves at the next turn. */
  async turn(): Promise<void> {
    const waitMs = this.lastBegan + this.paceMs - this.clock.now();
    if (waitMs > 0 && this.loaded && !this.hurried) await this.sleep(waitMs);
    this.lastBegan = this.clock.now();
  }

  /** Reports the number of rows of the turn. */
  took(rows: number): void {
    this.loaded = rows >= LOAD_ROWS;
  }

  /** Ends all waits, because the process is stopping. */
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
