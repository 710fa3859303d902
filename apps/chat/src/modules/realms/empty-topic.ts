/** What clients that do not know the empty topic see in its place, and may write for it (chat-4-4). */
export const emptyTopicName = 'general chat';

/** The topic that a client means: the empty one has two names (docs/contract/chat.md 1.3). */
export function meantTopic(name: string): string {
  return name === emptyTopicName || name === '(no topic)' ? '' : name;
}
