import type { Tx } from '@switchboard/database';
import type { EventConversation } from '../../events/event-sink-interface.js';
import { type RealmContent, findTopicLinks } from '../../infra/markdown/index.js';
import type { LockedMessage, MessageReaderGroup } from '../../core/message-access/index.js';
import { type NotificationBotDependencies, packMessageRecipients } from '../../core/messages/index.js';
import type { MovePlan } from './message-move-plan.js';
import { type MessageMove, updateMessageEvent } from './update-message.events.js';
import type { WrittenEdit } from './write-message-edit.repository.js';
import { packIdsInEntries } from './read-topic-messages.repository.js';

/** The message for which a client requested an edit or move, with the channel and topic before the edit. */
type EditedMessage = Pick<LockedMessage, 'id' | 'realmId' | 'recipientId' | 'topicKey' | 'channel'>;

/**
 * Emits an event about an edit or move of messages. The recipients are the users who can read the messages both before
 * and after the change. The function divides many message ids among several event log entries.
 */
export function emitMessageUpdate(
  tx: Tx,
  { events, realm }: Pick<NotificationBotDependencies, 'events' | 'realm'>,
  message: EditedMessage,
  { editorId, at, content, move }: WrittenEdit,
  readers: MessageReaderGroup,
): void {
  const { channel } = message;
  const audience = { users: readers.users };
  const conversation = getPreviousConversation(message, move);
  const common = {
    userId: editorId,
    messageId: message.id,
    editedAt: Math.floor(at / 1000),
    channel: channel && { id: channel.id, name: channel.name },
    receivers: packMessageRecipients(readers.byFlags),
    move: move && toMessageMove(move, realm),
  };
  for (const { ids, packed } of move?.renaming?.messages ?? packIdsInEntries(move?.messageIds ?? [message.id])) {
    // Only the entry that contains the edited message has the new content.
    const change = content !== null && ids.includes(message.id) ? content.change : null;
    const payload = { ...common, messageIds: packed, content: change };
    events.write(tx, message.realmId, updateMessageEvent, { audience, payload, conversation });
  }
}

function getPreviousConversation(
  { channel, topicKey, recipientId }: EditedMessage,
  move: MovePlan | null,
): EventConversation {
  if (channel === null) return { recipientId };
  const isMoved = move?.changesChannel === true;
  return { channelId: channel.id, topic: topicKey, ...(isMoved && { newChannelId: move.destination.channel.id }) };
}

function toMessageMove(plan: MovePlan, realm: RealmContent): MessageMove {
  const links = plan.changesTopic ? findTopicLinks(plan.topic, realm.linkifiers) : [];
  return {
    propagateMode: plan.propagateMode,
    topicBefore: plan.topicBefore,
    topic: plan.changesTopic ? plan.topic : null,
    ...(links.length > 0 && { topicLinks: links }),
    channelId: plan.changesChannel ? plan.destination.channel.id : null,
  };
}
