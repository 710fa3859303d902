/** An inserted message, with its recipients grouped by their initial flags. */
export interface InsertedMessage {
  readonly id: number;
  /** Time at which the message was sent, in UNIX seconds. */
  readonly sentAt: number;
  readonly receivers: readonly (readonly [flags: number, userIds: readonly number[]])[];
  /** True if the message is the first of its channel or direct conversation. */
  readonly isFirst: boolean;
  /** True if a user may want emails about all messages of the topic or channel; false for direct messages. */
  readonly isAwaited: boolean;
  /** New visibility policy of the topic for the sender: 2 unmuted, 3 followed; null for no change. */
  readonly visibilityPolicy: 2 | 3 | null;
  /** True if a message with the same key was sent before, so that this one must be rolled back. */
  readonly isRepeated: boolean;
}
