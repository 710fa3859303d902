/** Prefix of the name of a resolved topic (docs/contract/chat.md 5.7). */
const resolvedTopicPrefix = '✔ ';

/**
 * Compares the topic names before and after a move. Returns `resolved` or `unresolved` if the move only adds or removes
 * the prefix of resolved topics; otherwise null.
 */
export function findTopicResolutionChange(before: string, after: string): 'resolved' | 'unresolved' | null {
  if (after === resolvedTopicPrefix + before) return 'resolved';
  return before === resolvedTopicPrefix + after ? 'unresolved' : null;
}
