import { emptyTopicName } from './empty-topic-name.js';
import type { ClientCapabilities } from './event-queue-options.js';

/**
 * Returns a topic in the form that a client displays. Clients that do not support the empty topic receive a display
 * name for it (docs/contract/chat.md 3.3).
 */
export function toDisplayedTopicName(
  topic: string,
  capabilities: Pick<ClientCapabilities, 'empty_topic_name'>,
): string {
  return topic === '' && !capabilities.empty_topic_name ? emptyTopicName : topic;
}
