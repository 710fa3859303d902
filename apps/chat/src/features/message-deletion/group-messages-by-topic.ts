import type { LockedBatchMessage } from '../../core/message-access/index.js';
import type { TopicMessages } from './remove-messages.repository.js';

/**
 * Groups messages by their topic name in the exact spelling of each message. The topic with the oldest message comes
 * first.
 */
export function groupMessagesByTopic(messages: readonly LockedBatchMessage[]): TopicMessages[] {
  const topics = new Map<string, number[]>();
  for (const { id, topic } of messages) {
    const ids = topics.get(topic) ?? [];
    ids.push(id);
    topics.set(topic, ids);
  }
  return [...topics].map(([topic, messageIds]) => ({ topic, messageIds }));
}
