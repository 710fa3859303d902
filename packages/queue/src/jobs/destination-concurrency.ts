import type { QueueClock } from '../environment.js';

/** Assumed duration of an attempt at a destination before the first one has ended, in milliseconds. */
const FIRST_GUESS_MS = 10;

/** Maximum delay before a waiting job checks for a slot again, in milliseconds: the destination may be fast again. */
const LONGEST_WAIT_MS = 10_000;

/** Weight of the newest attempt in the estimate of the next. */
const NEWEST = 0.2;

interface Share {
  /** Start times of the running attempts. */
  running: number[];
  /** Typical duration of an attempt, in milliseconds. */
  typicalMs: number;
  /** Estimated time at which all jobs that wait for a slot will have been served. */
  servedBy: number;
}

/**
 * Limiter of concurrent attempts of this process per destination. A job without a free slot gets a retry time after
 * those of the jobs before it, estimated from recent durations.
 */
export class DestinationConcurrency {
  private readonly shares = new Map<string, Share>();

  constructor(
    private readonly slots: number,
    private readonly clock: QueueClock,
  ) {}

  /** Returns true if a slot is free and not reserved for waiting jobs. */
  isFree(destination: string): boolean {
    return this.hasFreeSlot(destination) && (this.shares.get(destination)?.servedBy ?? 0) <= this.clock.now();
  }

  /** Returns the delay before the job should try again, in milliseconds; 0 if a slot is free. */
  waitMs(destination: string): number {
    const share = this.shares.get(destination);
    if (!share || this.hasFreeSlot(destination)) return 0;
    const now = this.clock.now();
    // If even the newest attempt is slow, the destination is slow. One slow attempt among fast ones does not count:
    // waiting for it would leave slots empty.
    const takesMs = Math.max(share.typicalMs, now - Math.max(...share.running));
    share.servedBy = Math.max(share.servedBy, now) + takesMs / this.slots;
    return Math.min(Math.ceil(share.servedBy - now), LONGEST_WAIT_MS);
  }

  private hasFreeSlot(destination: string): boolean {
    return (this.shares.get(destination)?.running.length ?? 0) < this.slots;
  }

  /**
   * Takes a slot. The returned function releases it; its argument is true if an attempt was made, whose duration then
   * counts for the estimate.
   */
  acquire(destination: string): (attempted: boolean) => void {
    const share = this.shares.get(destination) ?? { running: [], typicalMs: FIRST_GUESS_MS, servedBy: 0 };
    this.shares.set(destination, share);
    const began = this.clock.now();
    share.running.push(began);
    return (attempted) => {
      const now = this.clock.now();
      share.running.splice(share.running.indexOf(began), 1);
      if (attempted) share.typicalMs += NEWEST * (now - began - share.typicalMs);
      if (share.running.length === 0 && share.servedBy <= now) this.shares.delete(destination);
    };
  }
}
