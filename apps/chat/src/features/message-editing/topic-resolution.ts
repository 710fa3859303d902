/** Prefix of the name of a resolved topic (docs/contract/chat.md 5.7). */
const resolvedTopicPrefix = '✔ ';

/** Returns the kind of change if a new topic name only marks the topic as resolved or unresolved; otherwise null. */
export function findTopicResolutionChange(before: string, after: string): 'resolved' | 'unresolved' | null {
  if (after === resolvedTopicPrefix + before) return 'resolved';
  return before === resolvedTopicPrefix + after ? 'unresolved' : null;
}
