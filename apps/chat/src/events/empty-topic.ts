/** Name of the empty topic for clients that do not know it; they may also send it (chat-4-4). */
export const emptyTopicName = 'general chat';

/** The topic that a client means: the empty one has two names (docs/contract/chat.md 1.3). */
export function meantTopic(name: string): string {
  return name === emptyTopicName || name === '(no topic)' ? '' : name;
}
