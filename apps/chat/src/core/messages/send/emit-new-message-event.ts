import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../../events/chat-events.js';
import { getConversationOfMessage } from '../../../events/event-sink-interface.js';
import { type Linkifier, findTopicLinks } from '../../../infra/markdown/index.js';
import type { MessageConversationTarget } from './message-conversation.js';
import type { InsertedMessage } from './inserted-message-row.js';
import type { MessageRecord, SubmessageRecord } from '../wire/message-record-schema.js';
import { isMeMessage } from './normalize-message-text.js';
import { messageEvent } from '../wire/messages.events.js';
import { packMessageRecipientFlags } from './pack-message-recipients.js';

/** A message that the current transaction has inserted, with all data that the event about the message contains. */
export interface SentMessage {
  readonly realmId: number;
  readonly conversation: MessageConversationTarget;
  readonly inserted: InsertedMessage;
  readonly content: string;
  /** Linkifiers of the realm, which convert texts in the topic to links. */
  readonly linkifiers: readonly Linkifier[];
  /** Content of the message as HTML. */
  readonly rendered: string;
  /** Name of the client program that sent the message. */
  readonly client: string;
  /** Submessage that defines the widget of the message; null for a message without a widget. */
  readonly widget: SubmessageRecord | null;
  /** Event queue of the client that sent the message, and the id that this client assigned to the message locally. */
  readonly origin: { readonly queueId: string; readonly localId: string } | null;
}

/**
 * Emits the event about a new message to the message's recipients. If the message is public, event queues with
 * all_public_streams also receive the event.
 */
export function emitNewMessageEvent(tx: Tx, events: ChatEventWriter, sent: SentMessage): void {
  const { conversation, inserted, origin } = sent;
  events.write(tx, sent.realmId, messageEvent, {
    audience: {
      users: inserted.receivers.flatMap(([, userIds]) => userIds),
      ...(conversation.isPublic && { roles: ['public-messages'] }),
    },
    payload: { message: toMessageRecord(sent), receivers: packMessageRecipientFlags(inserted.receivers), origin },
    conversation: getConversationOfMessage(conversation),
  });
}

/** Converts an inserted message to the form in which events and outbox messages store it. */
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
