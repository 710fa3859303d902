import type { Clock, ClockTimer } from '@switchboard/platform';

interface ScheduledTimerCallback {
  at: number;
  run: () => void;
}

/** A clock that advances only when the test calls {@link advanceTime}. */
export class FakeClock implements Clock {
  readonly #pending = new Map<ClockTimer, ScheduledTimerCallback>();
  #now: number;

  /** @param now milliseconds since the epoch at the start. Default: the first of January 2026 */
  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  /** Number of timers of the fake clock that are not due yet. */
  get pendingTimerCount(): number {
    return this.#pending.size;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(run: () => void, delayMs: number): ClockTimer {
    const timer: ClockTimer = { unref: () => timer };
    this.#pending.set(timer, { at: this.#now + Math.max(0, delayMs), run });
    return timer;
  }

  clearTimeout(timer: ClockTimer): void {
    this.#pending.delete(timer);
  }

  /**
   * Advances the time of the clock and runs the due timers in order, each timer at its own time. Promises settle after
   * each timer, so that timers which are set meanwhile also run when due.
   */
  async advanceTime(spanMs: number): Promise<void> {
    const end = this.#now + spanMs;
    await waitForSettledPromises();
    for (let next = this.#nextDueCall(end); next !== undefined; next = this.#nextDueCall(end)) {
      const [timer, { at, run }] = next;
      this.#pending.delete(timer);
      this.#now = Math.max(this.#now, at);
      run();
      await waitForSettledPromises();
    }
    this.#now = end;
  }

  #nextDueCall(end: number): [ClockTimer, ScheduledTimerCallback] | undefined {
    let first: [ClockTimer, ScheduledTimerCallback] | undefined;
    for (const entry of this.#pending) {
      if (entry[1].at <= end && (first === undefined || entry[1].at < first[1].at)) {
        first = entry;
      }
    }
    return first;
  }
}

async function waitForSettledPromises(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
