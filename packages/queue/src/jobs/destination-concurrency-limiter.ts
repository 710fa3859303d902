import type { QueueClock } from '../environment.js';

/** Duration of an attempt that is assumed until the first attempt of a destination has ended, in milliseconds. */
const ASSUMED_ATTEMPT_DURATION_MS = 10;

/**
 * Maximum delay after which a waiting job checks for a free slot again, in milliseconds, because the destination may
 * have become faster.
 */
const MAX_SLOT_WAIT_MS = 10_000;

/** Weight of the newest attempt in the moving average of durations, from 0 to 1. */
const NEWEST_DURATION_WEIGHT = 0.2;

interface DestinationAttemptState {
  /** Start times of the destination's running attempts, in milliseconds of the clock. */
  running: number[];
  /** Average duration of an attempt at the destination, in milliseconds. Newer attempts count more. */
  typicalMs: number;
  /** Time at which all jobs that are waiting for a slot of the destination are expected to have ended. */
  servedBy: number;
}

/**
 * Limits the concurrent attempts of this process per destination. A job without a free slot is delayed until the jobs
 * before it are expected to have ended, according to recent durations.
 */
export class DestinationConcurrencyLimiter {
  private readonly stateByDestination = new Map<string, DestinationAttemptState>();

  constructor(
    private readonly slots: number,
    private readonly clock: QueueClock,
  ) {}

  /** Returns true if a slot of the destination is free and no waiting job is expected to use it. */
  isSlotFree(destination: string): boolean {
    return (
      this.hasFreeSlot(destination) && (this.stateByDestination.get(destination)?.servedBy ?? 0) <= this.clock.now()
    );
  }

  /** Returns the delay before a job for the destination should try again, in milliseconds; 0 if a slot is free. */
  estimateWaitMs(destination: string): number {
    const share = this.stateByDestination.get(destination);
    if (!share || this.hasFreeSlot(destination)) return 0;
    const now = this.clock.now();
    // If even the newest attempt is slow, the destination is slow. One slow attempt among fast ones does not count:
    // waiting for it would leave slots empty.
    const takesMs = Math.max(share.typicalMs, now - Math.max(...share.running));
    share.servedBy = Math.max(share.servedBy, now) + takesMs / this.slots;
    return Math.min(Math.ceil(share.servedBy - now), MAX_SLOT_WAIT_MS);
  }

  private hasFreeSlot(destination: string): boolean {
    return (this.stateByDestination.get(destination)?.running.length ?? 0) < this.slots;
  }

  /**
   * Occupies a slot of the destination. Returns a function that releases it. Its argument is true if an attempt was
   * made; then its duration counts for the average.
   */
  acquireSlot(destination: string): (attempted: boolean) => void {
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
      if (attempted) share.typicalMs += NEWEST_DURATION_WEIGHT * (now - began - share.typicalMs);
      if (share.running.length === 0 && share.servedBy <= now) this.stateByDestination.delete(destination);
    };
  }
}
