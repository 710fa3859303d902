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

/** Longest time that a batch should lock its channel, in milliseconds. */
const longestMs = 100;

/** A full batch that took less is followed by one of twice the size. */
const shortestMs = 40;

/** The smallest batch is the largest one halved as often. */
const mostHalvings = 3;

/**
 * Size of the batches of one piece of work. It follows the time that the last batch locked its channel: nothing is sent
 * to the channel meanwhile.
 */
export class BatchPace {
  #halvings = 0;
  #lockedAt = 0;

  constructor(
    private readonly clock: Clock,
    private readonly largest: BatchSize = largestBatch,
  ) {}

  /** Limits of the next batch. */
  get size(): BatchSize {
    const part = (most: number): number => Math.ceil(most / 2 ** this.#halvings);
    return { messages: part(this.largest.messages), rows: part(this.largest.rows) };
  }

  /** Records that the channels of a batch are locked now. */
  locked(): void {
    this.#lockedAt = this.clock.now();
  }

  /** Records that the batch is committed. @param isFull true if the batch was as large as its limits */
  committed(isFull: boolean): void {
    const ms = this.clock.now() - this.#lockedAt;
    if (ms < shortestMs && isFull) this.#halvings = Math.max(this.#halvings - 1, 0);
    for (let rest = ms; rest > longestMs && this.#halvings < mostHalvings; rest /= 2) this.#halvings += 1;
  }
}
