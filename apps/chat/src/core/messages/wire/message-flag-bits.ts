/** Bits of the message flags in `user_messages.flags`, by name of the flag (chat-2.3). */
export const messageFlagBits = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  stream_wildcard_mentioned: 16,
  topic_wildcard_mentioned: 32,
  has_alert_word: 64,
  historical: 128,
  group_mentioned: 256,
  /**
   * Flag bit of direct messages, which the API does not send to clients. With this flag, the database finds the few
   * direct messages in a long history.
   */
  direct: 512,
} as const;

/**
 * End of an SQL SELECT that locks rows of `user_messages um` in a fixed order. Statements that change several rows of
 * `user_messages` must first lock the rows by such a SELECT. UPDATE and DELETE lock rows in the order of their query
 * plan and can therefore deadlock.
 */
export const lockUserMessageRowsSql = 'ORDER BY um.message_id, um.user_id FOR NO KEY UPDATE OF um';

/** Bits of all message flags that are set for users whom a message mentions. */
export const mentionMessageFlagBits =
  messageFlagBits.mentioned |
  messageFlagBits.stream_wildcard_mentioned |
  messageFlagBits.topic_wildcard_mentioned |
  messageFlagBits.group_mentioned;

/** Bits of the message flags that the API returns to a user who can read a message but did not receive it. */
export const historicalMessageFlagBits = messageFlagBits.read | messageFlagBits.historical;

const wireFlagNamesByBit: readonly (readonly [mask: number, name: string])[] = [
  [messageFlagBits.read, 'read'],
  [messageFlagBits.starred, 'starred'],
  [messageFlagBits.collapsed, 'collapsed'],
  [messageFlagBits.mentioned | messageFlagBits.group_mentioned, 'mentioned'],
  [messageFlagBits.stream_wildcard_mentioned, 'stream_wildcard_mentioned'],
  [messageFlagBits.topic_wildcard_mentioned, 'topic_wildcard_mentioned'],
  [messageFlagBits.stream_wildcard_mentioned | messageFlagBits.topic_wildcard_mentioned, 'wildcard_mentioned'],
  [messageFlagBits.has_alert_word, 'has_alert_word'],
  [messageFlagBits.historical, 'historical'],
];

/**
 * Returns the API names of message flags, given as bits (docs/contract/chat.md 5.1). A mention through a group has the
 * flag name of a mention.
 */
export function listMessageFlagNames(flags: number): string[] {
  return wireFlagNamesByBit.filter(([mask]) => (flags & mask) !== 0).map(([, name]) => name);
}
