/** A pending call of a {@link Clock}. */
export interface Timer {
  /** Allows the process to end while the timer is pending. */
  unref?(): unknown;
}

/** Time as code sees it. Long times come from here, so that tests move them by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once, `delayMs` milliseconds from now. */
  setTimeout(run: () => void, delayMs: number): Timer;
  /** Cancels a pending call; no effect after it was made. */
  clearTimeout(timer: Timer): void;
}

const pending = new WeakMap<Timer, NodeJS.Timeout>();

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(run, delayMs) {
    const timeout = setTimeout(run, delayMs);
    pending.set(timeout, timeout);
    return timeout;
  },
  clearTimeout(timer) {
    clearTimeout(pending.get(timer));
  },
};
