import type { Clock } from '@switchboard/platform';

/** Limits of one transaction that changes many messages. */
export interface BatchSize {
  readonly messages: number;
  /** Number of rows of recipients. */
  readonly rows: number;
}

/**
 * Largest batch. A message costs as much as 8 rows of recipients. Deleting 4,000 rows takes some 100 ms, in which nothing
 * is sent to the channel.
 */
export const largestBatch: BatchSize = { messages: 500, rows: 4_000 };

/**
 * Time that a batch should lock its channel, in milliseconds. Every batch has some fixed work: shorter ones would take
 * much longer in all, longer ones would keep senders waiting.
 */
const wantedMs = 100;

/** The smallest batch, and the largest growth from one batch to the next, as factors. */
const smallest = 1 / 4;
const mostGrowth = 2;

/**
 * Size of the batches of one piece of work. It follows the time that the last batch locked its channel: nothing is sent
 * to the channel meanwhile.
 */
export class BatchPace {
  /** Share of the largest batch. */
  #share = 1;
  #lockedAt = 0;

  constructor(
    private readonly clock: Clock,
    private readonly largest: BatchSize = largestBatch,
  ) {}

  /** Limits of the next batch. */
  get size(): BatchSize {
    const part = (most: number): number => Math.ceil(most * this.#share);
    return { messages: part(this.largest.messages), rows: part(this.largest.rows) };
  }

  /** Records that the channels of a batch are locked now. */
  locked(): void {
    this.#lockedAt = this.clock.now();
  }

  /** Records that the batch is committed. @param isFull true if the batch was as large as its limits */
  committed(isFull: boolean): void {
    const ms = Math.max(this.clock.now() - this.#lockedAt, 1);
    if (ms <= wantedMs && !isFull) return;
    const share = this.#share * Math.min(wantedMs / ms, mostGrowth);
    this.#share = Math.min(Math.max(share, smallest), 1);
  }
}
