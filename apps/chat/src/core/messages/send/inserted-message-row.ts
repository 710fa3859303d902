/** An inserted message, with the recipients of the message grouped by their initial message flags. */
export interface InsertedMessage {
  readonly id: number;
  /** Time at which the message was sent, in UNIX seconds. */
  readonly sentAt: number;
  readonly receivers: readonly (readonly [flags: number, userIds: readonly number[]])[];
  /** True if the message is the first of its channel or direct conversation. */
  readonly isFirst: boolean;
  /** True if a user may want emails about all messages of the message's topic or channel; false for direct messages. */
  readonly isAwaited: boolean;
  /** New visibility policy of the topic for the sender: 2 unmuted, 3 followed; null for no change. */
  readonly visibilityPolicy: 2 | 3 | null;
  /** True if a message with the same idempotency key was sent before, so that the transaction must roll back. */
  readonly isRepeated: boolean;
}
