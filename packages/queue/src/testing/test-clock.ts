import type { QueueClock } from '../environment.js';

interface TestClockTimer {
  readonly atMs: number;
  readonly run: () => void;
}

/**
 * Clock that advances only when a test calls {@link TestClock.advance}. Test doubles and real classes of this package
 * accept the clock.
 */
export class TestClock implements QueueClock {
  private readonly timers = new Map<object, TestClockTimer>();
  private nowMs: number;

  /** @param start time of the clock at the beginning; by default the first of January 2026 in UTC */
  constructor(start: Date = new Date(Date.UTC(2026, 0, 1))) {
    this.nowMs = start.getTime();
  }

  now(): number {
    return this.nowMs;
  }

  /** Number of timers of the test clock that are not due yet. */
  get pendingTimers(): number {
    return this.timers.size;
  }

  setTimeout(run: () => void, ms: number): unknown {
    const timer = {};
    this.timers.set(timer, { atMs: this.nowMs + Math.max(0, ms), run });
    return timer;
  }

  clearTimeout(timer: unknown): void {
    if (timer instanceof Object) this.timers.delete(timer);
  }

  /**
   * Advances the clock and runs the timers that become due, each timer at its own time. Promises settle after each
   * timer, so that timers which are set meanwhile also run. Does not wait for databases and networks.
   */
  async advance(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    await settlePendingPromises();
    for (let next = this.findNext(endMs); next !== null; next = this.findNext(endMs)) {
      this.timers.delete(next.timer);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
      await settlePendingPromises();
    }
    this.nowMs = endMs;
  }

  private findNext(endMs: number): (TestClockTimer & { readonly timer: object }) | null {
    let first: (TestClockTimer & { readonly timer: object }) | null = null;
    for (const [timer, { atMs, run }] of this.timers) {
      if (atMs <= endMs && (first === null || atMs < first.atMs)) first = { timer, atMs, run };
    }
    return first;
  }
}

const settlePendingPromises = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
