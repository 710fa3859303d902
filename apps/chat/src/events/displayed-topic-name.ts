import { emptyTopicName } from './empty-topic-name.js';
import type { ClientCapabilities } from './event-queue-options.js';

/**
 * Returns a topic as shown to a client. The empty topic gets a display name for clients that do not support it
 * (docs/contract/chat.md 3.3).
 */
export function toShownTopic(topic: string, capabilities: Pick<ClientCapabilities, 'empty_topic_name'>): string {
  return topic === '' && !capabilities.empty_topic_name ? emptyTopicName : topic;
}
