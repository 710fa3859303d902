/** A pending call of a {@link Clock}. */
export interface ClockTimer {
  /** Allows the process to end while the timer is pending. */
  unref?(): unknown;
}

/** Source of time, injected into code. Tests replace it, to advance long times by hand. */
export interface Clock {
  /** Returns the current time in milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once, `delayMs` milliseconds from now. */
  setTimeout(run: () => void, delayMs: number): ClockTimer;
  /** Cancels a pending call. Has no effect after the call has started. */
  clearTimeout(timer: ClockTimer): void;
}

const nodeTimeoutByTimer = new WeakMap<ClockTimer, NodeJS.Timeout>();

/** Clock with the real time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(run, delayMs) {
    const timeout = setTimeout(run, delayMs);
    nodeTimeoutByTimer.set(timeout, timeout);
    return timeout;
  },
  clearTimeout(timer) {
    clearTimeout(nodeTimeoutByTimer.get(timer));
  },
};
