import type { Clock } from '@switchboard/platform';

/** Maximum numbers of messages and recipient rows that one transaction changes. */
export interface MessageBatchSize {
  readonly messages: number;
  /** Maximum number of rows of `user_messages`. */
  readonly rows: number;
}

/**
 * Limits of the largest batch of messages. Changing a message takes as long as changing 8 recipient rows. Deleting
 * 4,000 rows takes about 100 ms, during which no message can be sent to the channel.
 */
export const maxMessageBatchSize: MessageBatchSize = { messages: 500, rows: 4_000 };

/**
 * Target time in milliseconds for which a batch of messages locks its channel. Each batch has a fixed cost, so shorter
 * batches make the whole task much slower. Longer batches make senders wait too long.
 */
const targetBatchLockMs = 100;

/** Smallest batch of messages as a fraction of {@link maxMessageBatchSize}. */
const minBatchFraction = 1 / 4;
/** Maximum growth factor from one batch of messages to the next. */
const maxBatchGrowth = 2;

/**
 * Adapts the sizes of the batches in which a task changes messages. A batch locks its channel, so that senders wait.
 * The next size follows from the time for which the last batch had the lock.
 */
export class AdaptiveBatchSize {
  /** Size of the next batch as a fraction of {@link maxMessageBatchSize}. */
  #share = 1;
  #lockedAt = 0;

  constructor(
    private readonly clock: Clock,
    private readonly largest: MessageBatchSize = maxMessageBatchSize,
  ) {}

  /** Maximum numbers of messages and recipient rows of the next batch. */
  get size(): MessageBatchSize {
    const part = (most: number): number => Math.ceil(most * this.#share);
    return { messages: part(this.largest.messages), rows: part(this.largest.rows) };
  }

  /** Records the time at which the current batch has locked its channels. */
  recordLock(): void {
    this.#lockedAt = this.clock.now();
  }

  /**
   * Records that the current batch is committed, and adapts the size of the next.
   *
   * @param isFull true if the batch reached its limits
   * @param size limits of the batch, if it was prepared before the previous batch was committed
   */
  recordCommit(isFull: boolean, size: MessageBatchSize = this.size): void {
    const ms = Math.max(this.clock.now() - this.#lockedAt, 1);
    if (ms <= targetBatchLockMs && !isFull) return;
    const share = (size.messages / this.largest.messages) * Math.min(targetBatchLockMs / ms, maxBatchGrowth);
    this.#share = Math.min(Math.max(share, minBatchFraction), 1);
  }
}
