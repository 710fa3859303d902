import type { Tx } from '@switchboard/database';
import type { ChatEvents } from '../../../events/chat-events.js';
import { getEventConversation } from '../../../events/event-sink-interface.js';
import { type Linkifier, findTopicLinks } from '../../../infra/markdown/index.js';
import type { MessageConversationTarget } from './message-conversation.js';
import type { InsertedMessage } from './inserted-message-row.js';
import type { MessageRecord, SubmessageRecord } from '../wire/message-record-schema.js';
import { isMeMessage } from './normalize-message-text.js';
import { messageEvent } from '../wire/messages.events.js';
import { packMessageRecipients } from './pack-message-recipients.js';

/** A message that this transaction has inserted, with all data of its event. */
export interface SentMessage {
  readonly realmId: number;
  readonly conversation: MessageConversationTarget;
  readonly inserted: InsertedMessage;
  readonly content: string;
  /** Linkifiers of the realm, for links in the topic. */
  readonly linkifiers: readonly Linkifier[];
  /** Content of the message as HTML. */
  readonly rendered: string;
  /** Name of the client program that sent the message. */
  readonly client: string;
  /** Submessage that defines the widget of the message; null for a message without a widget. */
  readonly widget: SubmessageRecord | null;
  /** Event queue of the sending client, with the client's local id of the message. */
  readonly origin: { readonly queueId: string; readonly localId: string } | null;
}

/** Emits a message to its recipients and, if public, to queues with all_public_streams. */
export function emitNewMessageEvent(tx: Tx, events: ChatEvents, sent: SentMessage): void {
  const { conversation, inserted, origin } = sent;
  events.write(tx, sent.realmId, messageEvent, {
    audience: {
      users: inserted.receivers.flatMap(([, userIds]) => userIds),
      ...(conversation.isPublic && { roles: ['public-messages'] }),
    },
    payload: { message: toMessageRecord(sent), receivers: packMessageRecipients(inserted.receivers), origin },
    conversation: getEventConversation(conversation),
  });
}

/** Returns an inserted message in the form that events and outbox messages store. */
export function toMessageRecord({
  conversation,
  inserted,
  content,
  rendered,
  client,
  widget,
  linkifiers,
}: SentMessage): MessageRecord {
  const links = findTopicLinks(conversation.topic, linkifiers);
  return {
    id: inserted.id,
    realm: conversation.realm,
    sender: conversation.sender,
    recipientId: conversation.recipientId,
    channel: conversation.channel,
    participants: [...conversation.participants],
    topic: conversation.topic,
    ...(links.length > 0 && { topicLinks: links }),
    content,
    rendered,
    isMeMessage: isMeMessage(content),
    client,
    sentAt: inserted.sentAt,
    editedAt: null,
    movedAt: null,
    editHistory: null,
    reactions: [],
    submessages: widget === null ? [] : [widget],
  };
}
