/** Timer of a pending call that a {@link Clock} has scheduled. */
export interface ClockTimer {
  /** Allows the process to end while this timer is pending. */
  unref?(): unknown;
}

/** Clock that code uses to read the time and to schedule calls. Tests replace the clock to simulate long times. */
export interface Clock {
  /** Returns the current time in milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once, `delayMs` milliseconds from now. */
  setTimeout(run: () => void, delayMs: number): ClockTimer;
  /** Cancels a pending call that `setTimeout` has scheduled. Has no effect after the call has started. */
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
