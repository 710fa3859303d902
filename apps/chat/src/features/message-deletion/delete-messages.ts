import type { Tx } from '@switchboard/database';
import type { AudienceUserIds } from '@switchboard/queue';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { ConversationOfEvent } from '../../events/event-sink-interface.js';
import { divideMessageIds, packMessageIds } from '../../events/packed-message-ids.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import type { LockedChannel } from '../../core/channels/index.js';
import { type MessageReaders, readFirstMessages, emitChangedFirstMessages } from '../../core/message-access/index.js';
import { type EmptyTopicRange, removeEmptyTopics, removeTopicEmptyOutsideRange } from '../../core/messages/index.js';
import { deleteMessageEvent } from './delete-message.events.js';
import { removeMessages, type TopicMessages } from './remove-messages.repository.js';

/** Process objects for deleting messages. */
export interface DeleteMessagesDependencies {
  readonly events: ChatEventWriter;
  readonly readers: MessageReaders;
}

/**
 * Messages of one conversation that a transaction deletes. The transaction has locked the messages and their channel.
 */
export interface LockedMessagesToDelete {
  readonly realmId: number;
  /** Channel of the messages to delete; null for direct messages. */
  readonly channel: LockedChannel | null;
  /** Id of the recipient row of the conversation that contains the messages. */
  readonly recipientId: number;
  readonly topics: readonly TopicMessages[];
  /**
   * Range of message ids in which the topic of the deleted messages contains no messages. Set if the topic may be empty
   * after the deletion.
   */
  readonly empty?: EmptyTopicRange | null;
  /**
   * False if further batches of the same deletion follow. The caller then emits an event about the channel's oldest
   * message after the last batch. The default is true.
   */
  readonly emitsFirstMessage?: boolean;
}

/**
 * Deletes messages with all rows that refer to the messages. Emits events to the users who could read the messages
 * (docs/contract/chat.md 5.8). The transaction must also have locked the realm membership.
 */
export async function deleteMessages(
  tx: Tx,
  { events, readers }: DeleteMessagesDependencies,
  selection: LockedMessagesToDelete,
): Promise<void> {
  const { realmId, channel, recipientId, topics, empty = null, emitsFirstMessage = true } = selection;
  const channels = channel === null || !emitsFirstMessage ? [] : [channel];
  const firstBefore = channels.length === 0 ? new Map() : await readFirstMessages(tx, channels);
  const received = await removeMessages(tx, topics);
  const [audiences] = await Promise.all([
    readers.addReadersWithoutMessageRow(tx, channel, received),
    empty === null
      ? channel && removeEmptyTopics(tx, channel.recipient_id, listTopicLookupKeys(topics))
      : removeTopicEmptyOutsideRange(tx, empty),
  ]);
  for (const [place, { topic, messageIds }] of topics.entries()) {
    const users = audiences[place] ?? [];
    const conversation = channel === null ? { recipientId } : { channelId: channel.id, topic };
    emitMessageDeletion(tx, events, realmId, { users, messageIds, conversation });
  }
  if (channels.length > 0) await emitChangedFirstMessages(tx, events, channels, firstBefore);
}

function listTopicLookupKeys(topics: readonly TopicMessages[]): string[] {
  return topics.map(({ topic }) => normalizeTextForComparison(topic));
}

/** Ids of messages that certain users can no longer see, with the ids of these users. */
export interface MessageIdsHiddenFromUsers {
  readonly users: readonly number[] | AudienceUserIds;
  /** Ids of the hidden messages, in ascending order. */
  readonly messageIds: readonly number[];
  /** Conversation of the hidden messages. Includes the new channel if a move hides the messages. */
  readonly conversation: ConversationOfEvent;
  /** Ids of the users who can still read messages that a move hides from other users. */
  readonly remainingReaders?: ReadonlySet<number>;
}

/**
 * Emits events about deleted messages. Writes several event log entries if one entry cannot contain all message ids.
 */
export function emitMessageDeletion(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  lost: MessageIdsHiddenFromUsers,
): void {
  const { users, conversation, remainingReaders } = lost;
  for (const payload of createDeletionPayloads(lost)) {
    events.write(tx, realmId, deleteMessageEvent, { audience: { users }, payload, conversation, remainingReaders });
  }
}

/**
 * Sends events about deleted messages only to webhooks. Used for moved messages that all their recipients can still
 * read. The events inform owners of webhooks who could read the previous channel and cannot read the new channel.
 */
export function emitDeletionToWebhooks(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  hidden: Omit<MessageIdsHiddenFromUsers, 'users'>,
): void {
  const { conversation, remainingReaders } = hidden;
  for (const payload of createDeletionPayloads(hidden)) {
    events.sendEventToWebhooks(tx, realmId, deleteMessageEvent, { payload, conversation, remainingReaders });
  }
}

function createDeletionPayloads({ conversation, messageIds }: Omit<MessageIdsHiddenFromUsers, 'users'>) {
  const channel = 'channelId' in conversation ? { id: conversation.channelId, topic: conversation.topic } : null;
  return divideMessageIds(messageIds).map((ids) => ({ messageIds: packMessageIds(ids), channel }));
}
