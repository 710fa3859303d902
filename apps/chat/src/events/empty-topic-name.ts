/**
 * Name of the empty topic for clients that do not support empty topics. These clients may also send this name
 * (chat-4-4).
 */
export const emptyTopicName = 'general chat';

/**
 * Returns the topic to which a name in a request refers. Two names mean the empty topic (docs/contract/chat.md 1.3).
 */
export function parseRequestedTopicName(name: string): string {
  return name === emptyTopicName || name === '(no topic)' ? '' : name;
}
