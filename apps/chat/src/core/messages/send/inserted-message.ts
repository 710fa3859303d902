/** A message as written: its receivers are grouped by the flags that they begin with. */
export interface InsertedMessage {
  readonly id: number;
  /** UNIX seconds. */
  readonly sentAt: number;
  readonly receivers: readonly (readonly [flags: number, userIds: readonly number[]])[];
  /** True if it is the first message of its topic. */
  readonly isFirst: boolean;
  /** True if a user may want mails about every message of the topic or channel; false for direct messages. */
  readonly isAwaited: boolean;
  /** New visibility policy of the topic for the sender: 2 unmuted, 3 followed; null for no change. */
  readonly visibilityPolicy: 2 | 3 | null;
}
