/** Name of the empty topic for clients that do not support it. They may also send it (chat-4-4). */
export const emptyTopicName = 'general chat';

/** Returns the topic that a client means by a name: two names stand for the empty topic (docs/contract/chat.md 1.3). */
export function parseTopicName(name: string): string {
  return name === emptyTopicName || name === '(no topic)' ? '' : name;
}
