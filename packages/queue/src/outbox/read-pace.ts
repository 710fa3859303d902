import type { QueueClock } from '../environment.js';

/**
 * Minimum number of rows in one read that counts as high load. A single writer without concurrency causes only one row
 * per read.
 */
const LOAD_ROWS = 3;

/**
 * Limits reads of outbox rows under load to one every `paceMs`, so that rows accumulate. A read soon after one that
 * returned several rows waits for the rest of the interval. Without load each read starts immediately. Calls must not
 * overlap.
 */
export class ReadPace {
  private lastBegan = -Infinity;
  private loaded = false;
  private hurried = false;
  private wake: () => void = () => {};

  constructor(
    private readonly paceMs: number,
    private readonly clock: QueueClock,
  ) {}

  /** Resolves when the next read of rows may start. */
  async waitForNextRead(): Promise<void> {
    const waitMs = this.lastBegan + this.paceMs - this.clock.now();
    if (waitMs > 0 && this.loaded && !this.hurried) await this.sleep(waitMs);
    this.lastBegan = this.clock.now();
  }

  /** Records the number of rows that the last read returned. */
  recordRows(rows: number): void {
    this.loaded = rows >= LOAD_ROWS;
  }

  /** Ends all waits before reads, because the process is stopping. */
  endWaits(): void {
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
