/** Prefix of the name of a resolved topic (docs/contract/chat.md 5.7). */
const resolvedPrefix = '✔ ';

/** Returns the kind of change if a new topic name only marks the topic as resolved or unresolved; otherwise null. */
export function topicResolution(before: string, after: string): 'resolved' | 'unresolved' | null {
  if (after === resolvedPrefix + before) return 'resolved';
  return before === resolvedPrefix + after ? 'unresolved' : null;
}
