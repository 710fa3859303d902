import type { QueueClock } from '../environment.js';

/**
 * Minimum number of outbox rows in one read that counts as high load. A single writer without concurrency causes only
 * one row per read.
 */
const MIN_ROWS_OF_HIGH_LOAD = 3;

/**
 * Limits reads of outbox rows under load to one every `paceMs`, so that rows accumulate. If the last read returned
 * several rows, the next read waits for the rest of the interval. Without load each read starts immediately. Calls must
 * not overlap.
 */
export class OutboxReadThrottle {
  private lastReadStartMs = -Infinity;
  private isLoaded = false;
  private isHurried = false;
  private endSleep: () => void = () => {};

  constructor(
    private readonly paceMs: number,
    private readonly clock: QueueClock,
  ) {}

  /** Returns a promise that resolves when the next read of outbox rows may start. */
  async waitForNextRead(): Promise<void> {
    const waitMs = this.lastReadStartMs + this.paceMs - this.clock.now();
    if (waitMs > 0 && this.isLoaded && !this.isHurried) await this.waitUnlessStopped(waitMs);
    this.lastReadStartMs = this.clock.now();
  }

  /** Records the number of outbox rows that the last read returned. */
  recordRowCountOfRead(rows: number): void {
    this.isLoaded = rows >= MIN_ROWS_OF_HIGH_LOAD;
  }

  /** Ends all waits for the next read of outbox rows, because the process is stopping. */
  endWaitsForReads(): void {
    this.isHurried = true;
    this.endSleep();
  }

  private waitUnlessStopped(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.clock.setTimeout(resolve, ms);
      this.endSleep = () => {
        this.clock.clearTimeout(timer);
        resolve();
      };
    });
  }
}
