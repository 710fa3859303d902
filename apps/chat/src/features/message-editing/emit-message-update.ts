import type { Tx } from '@switchboard/database';
import type { ConversationOfEvent } from '../../events/event-sink-interface.js';
import { type RealmMarkdownRenderingSettings, findTopicLinks } from '../../infra/markdown/index.js';
import type { LockedMessage, MessageReadersWithSameFlags } from '../../core/message-access/index.js';
import { type NotificationBotDependencies, packMessageRecipientFlags } from '../../core/messages/index.js';
import type { MessageMovePlan } from './message-move-plan.js';
import { type MessageMove, updateMessageEvent } from './update-message.events.js';
import type { MessageEditToWrite } from './write-message-edit.repository.js';
import { splitMessageIdsIntoEntries } from './read-topic-messages.repository.js';

/** The message for which a client requested an edit or move, with the channel and topic before the edit. */
type EditedMessageBeforeChange = Pick<LockedMessage, 'id' | 'realmId' | 'recipientId' | 'topicKey' | 'channel'>;

/**
 * Emits an event about an edit or move of messages. The recipients are the users who can read the messages both before
 * and after the change. The function divides many message ids among several event log entries.
 */
export function emitMessageUpdate(
  tx: Tx,
  { events, realm }: Pick<NotificationBotDependencies, 'events' | 'realm'>,
  message: EditedMessageBeforeChange,
  { editorId, at, content, move }: MessageEditToWrite,
  readers: MessageReadersWithSameFlags,
): void {
  const { channel } = message;
  const audience = { users: readers.users };
  const conversation = getPreviousConversation(message, move);
  const common = {
    userId: editorId,
    messageId: message.id,
    editedAt: Math.floor(at / 1000),
    channel: channel && { id: channel.id, name: channel.name },
    receivers: packMessageRecipientFlags(readers.byFlags),
    move: move && planToMessageMove(move, realm),
  };
  for (const { ids, packed } of move?.renaming?.messages ??
    splitMessageIdsIntoEntries(move?.messageIds ?? [message.id])) {
    // Only the entry that contains the edited message has the new content.
    const change = content !== null && ids.includes(message.id) ? content.change : null;
    const payload = { ...common, messageIds: packed, content: change };
    events.write(tx, message.realmId, updateMessageEvent, { audience, payload, conversation });
  }
}

function getPreviousConversation(
  { channel, topicKey, recipientId }: EditedMessageBeforeChange,
  move: MessageMovePlan | null,
): ConversationOfEvent {
  if (channel === null) return { recipientId };
  const isMoved = move?.changesChannel === true;
  return { channelId: channel.id, topic: topicKey, ...(isMoved && { newChannelId: move.destination.channel.id }) };
}

function planToMessageMove(plan: MessageMovePlan, realm: RealmMarkdownRenderingSettings): MessageMove {
  const links = plan.changesTopic ? findTopicLinks(plan.topic, realm.linkifiers) : [];
  return {
    propagateMode: plan.propagateMode,
    topicBefore: plan.topicBefore,
    topic: plan.changesTopic ? plan.topic : null,
    ...(links.length > 0 && { topicLinks: links }),
    channelId: plan.changesChannel ? plan.destination.channel.id : null,
  };
}
