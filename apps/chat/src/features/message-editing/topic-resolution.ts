/** Prefix of the name of a resolved topic (docs/contract/chat.md 5.7). */
const resolvedPrefix = '✔ ';

/** Whether a change of name does nothing but resolve a topic, or open it again; null for any other change. */
export function topicResolution(before: string, after: string): 'resolved' | 'unresolved' | null {
  if (after === resolvedPrefix + before) return 'resolved';
  return before === resolvedPrefix + after ? 'unresolved' : null;
}
