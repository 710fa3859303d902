import type { QueueClock } from '../environment.js';

/**
 * Assumed duration of an attempt at a destination until the first attempt at that destination has ended, in
 * milliseconds.
 */
const ASSUMED_ATTEMPT_DURATION_MS = 10;

/**
 * Maximum delay after which a waiting job checks again whether another attempt at its destination may run, in
 * milliseconds. The destination may have become faster meanwhile.
 */
const MAX_DESTINATION_RECHECK_DELAY_MS = 10_000;

/** Weight of the newest attempt in the moving average of the durations of attempts, from 0 to 1. */
const NEWEST_ATTEMPT_DURATION_WEIGHT = 0.2;

interface RunningAttemptsOfDestination {
  /** Start times of the destination's running attempts, in milliseconds of the clock. */
  running: number[];
  /** Average duration of an attempt at the destination, in milliseconds. Newer attempts have more weight. */
  typicalMs: number;
  /** Time at which all jobs that wait for this destination are expected to have ended, in milliseconds of the clock. */
  servedBy: number;
}

/**
 * Limits the concurrent attempts of this process per destination. At the limit, a new job is delayed until the earlier
 * waiting jobs are expected to have ended. The expectation follows from the recent durations of attempts.
 */
export class DestinationAttemptLimiter {
  private readonly stateByDestination = new Map<string, RunningAttemptsOfDestination>();

  constructor(
    private readonly slots: number,
    private readonly clock: QueueClock,
  ) {}

  /**
   * Returns true if another attempt at the destination may start now and no waiting job is expected to start instead.
   */
  canStartNewAttempt(destination: string): boolean {
    return (
      this.isBelowAttemptLimit(destination) &&
      (this.stateByDestination.get(destination)?.servedBy ?? 0) <= this.clock.now()
    );
  }

  /**
   * Returns the delay before a job for the destination should try again, in milliseconds. Returns 0 if an attempt may
   * start now.
   */
  estimateRetryDelayMs(destination: string): number {
    const share = this.stateByDestination.get(destination);
    if (!share || this.isBelowAttemptLimit(destination)) return 0;
    const now = this.clock.now();
    // If even the newest attempt is slow, the destination is slow. One slow attempt among fast ones does not count:
    // waiting for it would leave slots empty.
    const takesMs = Math.max(share.typicalMs, now - Math.max(...share.running));
    share.servedBy = Math.max(share.servedBy, now) + takesMs / this.slots;
    return Math.min(Math.ceil(share.servedBy - now), MAX_DESTINATION_RECHECK_DELAY_MS);
  }

  private isBelowAttemptLimit(destination: string): boolean {
    return (this.stateByDestination.get(destination)?.running.length ?? 0) < this.slots;
  }

  /**
   * Counts a new attempt at the destination as running. Returns a function that ends the count. The function's argument
   * is true if the attempt was made; its duration then enters the average.
   */
  countRunningAttempt(destination: string): (attempted: boolean) => void {
    const share = this.stateByDestination.get(destination) ?? {
      running: [],
      typicalMs: ASSUMED_ATTEMPT_DURATION_MS,
      servedBy: 0,
    };
    this.stateByDestination.set(destination, share);
    const began = this.clock.now();
    share.running.push(began);
    return (attempted) => {
      const now = this.clock.now();
      share.running.splice(share.running.indexOf(began), 1);
      if (attempted) share.typicalMs += NEWEST_ATTEMPT_DURATION_WEIGHT * (now - began - share.typicalMs);
      if (share.running.length === 0 && share.servedBy <= now) this.stateByDestination.delete(destination);
    };
  }
}
