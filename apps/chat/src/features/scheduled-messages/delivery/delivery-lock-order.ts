import { createDirectConversationLookupKey } from '../../../core/messages/index.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import type { DueMessage } from './due-messages.repository.js';

/**
 * Returns the ids of the accounts whose rows must be locked to send a scheduled message: the author and the recipients
 * of a direct message.
 */
export function listAccountIdsToLock({ type, userId, toIds }: DueMessage): number[] {
  return type === 'private' ? [userId, ...toIds] : [userId];
}

/** Returns the ids of the channels whose recipient rows must be locked to send the scheduled messages. */
export function listChannelIdsToLock(messages: readonly DueMessage[]): number[] {
  return [...new Set(messages.flatMap(({ type, toIds }) => (type === 'stream' ? toIds : [])))];
}

/**
 * Sorts scheduled messages by conversation, and by due time within each conversation. Concurrent workers therefore
 * create new topics and conversations in the same order.
 */
export function sortMessagesInLockOrder(messages: readonly DueMessage[]): DueMessage[] {
  const keyed = messages.map((due) => ({ due, key: createConversationKey(due) }));
  return keyed
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.due.deliverAtMs - b.due.deliverAtMs))
    .map(({ due }) => due);
}

function createConversationKey({ type, userId, toIds, topic }: DueMessage): string {
  if (type === 'stream') return `stream ${toIds[0]} ${normalizeTextForComparison(topic)}`;
  return `${type} ${createDirectConversationLookupKey([...new Set([userId, ...toIds])].toSorted((a, b) => a - b))}`;
}
