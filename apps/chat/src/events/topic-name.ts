import { emptyTopicName } from './empty-topic.js';
import type { ClientCapabilities } from './queue-options.js';

/**
 * A topic as a client takes it: the empty one by its display name for those that do not know it
 * (docs/contract/chat.md 3.3).
 */
export function shownTopic(topic: string, capabilities: Pick<ClientCapabilities, 'empty_topic_name'>): string {
  return topic === '' && !capabilities.empty_topic_name ? emptyTopicName : topic;
}
