/** Bits of `user_messages.flags` by name of the flag (chat-2.3). */
export const flagBit = {
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
   * Flag bit of direct messages, which is not sent to clients. The database uses it to find the few direct messages in
   * a long history.
   */
  direct: 512,
} as const;

/**
 * End of an SQL SELECT that locks rows of `user_messages um` in a fixed order. Statements that change several of these
 * rows must first select them in this way, because UPDATE and DELETE lock rows in the order of their plan and can
 * deadlock.
 */
export const lockUserMessages = 'ORDER BY um.message_id, um.user_id FOR NO KEY UPDATE OF um';

/** Bits of the flags that are set for users whom a message mentions. */
export const mentionFlags =
  flagBit.mentioned | flagBit.stream_wildcard_mentioned | flagBit.topic_wildcard_mentioned | flagBit.group_mentioned;

/** Bits of the flags that the API shows for a user who can read a message but did not receive it. */
export const historicalFlags = flagBit.read | flagBit.historical;

const wireFlags: readonly (readonly [mask: number, name: string])[] = [
  [flagBit.read, 'read'],
  [flagBit.starred, 'starred'],
  [flagBit.collapsed, 'collapsed'],
  [flagBit.mentioned | flagBit.group_mentioned, 'mentioned'],
  [flagBit.stream_wildcard_mentioned, 'stream_wildcard_mentioned'],
  [flagBit.topic_wildcard_mentioned, 'topic_wildcard_mentioned'],
  [flagBit.stream_wildcard_mentioned | flagBit.topic_wildcard_mentioned, 'wildcard_mentioned'],
  [flagBit.has_alert_word, 'has_alert_word'],
  [flagBit.historical, 'historical'],
];

/** Returns the API names of flags (docs/contract/chat.md 5.1). A mention through a group is reported as a mention. */
export function flagNames(flags: number): string[] {
  return wireFlags.filter(([mask]) => (flags & mask) !== 0).map(([, name]) => name);
}
