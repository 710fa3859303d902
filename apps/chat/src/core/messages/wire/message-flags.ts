/** Bits of `user_messages.flags` (chat-2.3). */
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
  /** A direct message: no flag on the wire, but what finds the few of a long history. */
  direct: 512,
} as const;

/**
 * Locks rows of `user_messages um`, as the end of a SELECT. Every statement that changes several of these rows selects
 * them so first: UPDATE and DELETE by themselves lock in the order of their plan, and two of them deadlock.
 */
export const lockUserMessages = 'ORDER BY um.message_id, um.user_id FOR NO KEY UPDATE OF um';

/** Flags of who is called upon by a message. */
export const callingFlags =
  flagBit.mentioned | flagBit.stream_wildcard_mentioned | flagBit.topic_wildcard_mentioned | flagBit.group_mentioned;

/** Flags of a message for a user who may read it and never received it. */
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

/** The flags in their wire names (docs/contract/chat.md 5.1); a mention through a group reads as a mention. */
export function flagNames(flags: number): string[] {
  return wireFlags.filter(([mask]) => (flags & mask) !== 0).map(([, name]) => name);
}
