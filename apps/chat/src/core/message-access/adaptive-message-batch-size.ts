import type { Clock } from '@switchboard/platform';

/** Maximum numbers of messages and of recipient rows that one transaction changes. */
export interface MessageBatchSize {
  readonly messages: number;
  /** Maximum number of rows of `user_messages` (recipient rows) that one transaction changes. */
  readonly rows: number;
}

/**
 * Limits of the largest batch of messages that one transaction changes. Changing one message takes as long as changing
 * 8 recipient rows. Deleting 4,000 rows takes about 100 ms, during which no message can be sent to the channel.
 */
export const maxMessageBatchSize: MessageBatchSize = { messages: 500, rows: 4_000 };

/**
 * Target duration, in milliseconds, of the channel lock of one batch of messages. A batch has a fixed cost, so shorter
 * batches make the whole task much slower. Longer batches make senders wait too long.
 */
const targetMessageBatchLockMs = 100;

/** Minimum size of a batch of messages, relative to the maximum size {@link maxMessageBatchSize}. */
const minMessageBatchFraction = 1 / 4;
/** Maximum factor by which a batch of messages may be larger than the previous batch. */
const maxMessageBatchGrowthFactor = 2;

/**
 * Adapts the sizes of the batches in which a task changes messages. A batch locks its channel, so that senders of
 * messages wait. The size of the next batch depends on the time for which the last batch locked the channel.
 */
export class AdaptiveMessageBatchSize {
  /** Size of the next batch of messages, relative to the maximum size {@link maxMessageBatchSize}. */
  #share = 1;
  #lockedAt = 0;

  constructor(
    private readonly clock: Clock,
    private readonly largest: MessageBatchSize = maxMessageBatchSize,
  ) {}

  /** Maximum numbers of messages and of recipient rows in the next batch. */
  get size(): MessageBatchSize {
    const part = (most: number): number => Math.ceil(most * this.#share);
    return { messages: part(this.largest.messages), rows: part(this.largest.rows) };
  }

  /** Records the current time as the time at which the current batch locked its channels. */
  recordLockTime(): void {
    this.#lockedAt = this.clock.now();
  }

  /**
   * Records that the current batch is committed, and adapts the size of the next batch.
   *
   * @param isFull true if the batch reached its limits
   * @param size limits of the batch, if it was prepared before the previous batch was committed
   */
  adaptSizeAfterCommit(isFull: boolean, size: MessageBatchSize = this.size): void {
    const ms = Math.max(this.clock.now() - this.#lockedAt, 1);
    if (ms <= targetMessageBatchLockMs && !isFull) return;
    const share =
      (size.messages / this.largest.messages) * Math.min(targetMessageBatchLockMs / ms, maxMessageBatchGrowthFactor);
    this.#share = Math.min(Math.max(share, minMessageBatchFraction), 1);
  }
}
