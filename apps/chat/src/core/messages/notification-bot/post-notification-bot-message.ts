import type { Tx } from '@switchboard/database';
import { userRoleNumbers } from '../../../infra/http/chat-actor.js';
import type { ChatEventWriter } from '../../../events/chat-events.js';
import {
  type MessageRenderer,
  type RealmMarkdownRenderingSettings,
  rendererVersion,
} from '../../../infra/markdown/index.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import { insertMessage } from '../send/insert-message.repository.js';
import type { MessagePersonRecord } from '../wire/message-record-schema.js';
import { createPersonJsonSql } from '../wire/message-rows-sql.js';
import { markTopicResolutionMessageRead } from './mark-topic-resolution-notice-read.repository.js';
import { resolveMarkdownNames } from '../send/resolve-markdown-names.js';
import { updateTopicPoliciesAfterSend } from '../send/apply-topic-follows.js';
import { emitNewMessageEvent } from '../send/emit-new-message-event.js';

/** Name of the client program that is recorded for messages that the service itself sends. */
export const internalClientName = 'Internal';

/** A message of the Notification Bot to a channel that the caller's transaction has locked. */
export interface NotificationBotMessage {
  readonly realmId: number;
  readonly recipientId: number;
  readonly channel: { readonly id: number; readonly name: string };
  /** True if users who do not subscribe to the channel of the message can also read the channel. */
  readonly isPublic: boolean;
  readonly topic: string;
  /** Markdown source of the message. */
  readonly content: string;
  /** True if the message announces that a topic was resolved or unresolved. Many users hide messages of this kind. */
  readonly isResolution?: boolean;
  /** Id of the database row for the client program {@link internalClientName}. */
  readonly clientId: number;
}

/** Objects and values that {@link postNotificationBotMessage} receives from its caller. */
export interface NotificationBotDependencies {
  readonly events: ChatEventWriter;
  readonly renderer: MessageRenderer;
  /** Linkifiers and other Markdown settings of the realm to which the message belongs. */
  readonly realm: RealmMarkdownRenderingSettings;
}

interface NotificationBotRow {
  realm: string;
  sender: MessagePersonRecord;
}

/** Posts a message to a channel as the Notification Bot. Does nothing in a realm without a Notification Bot. */
export async function postNotificationBotMessage(
  tx: Tx,
  { events, renderer, realm }: NotificationBotDependencies,
  notice: NotificationBotMessage,
): Promise<void> {
  const bot = await findNotificationBot(tx, notice.realmId);
  if (bot === undefined) return;
  const parsed = renderer.parse(notice.content, realm);
  const author = { id: bot.sender.id, realmId: notice.realmId, role: userRoleNumbers.member };
  const rendered = renderer.render(parsed, await resolveMarkdownNames(tx, author, parsed));
  const message = {
    realmId: notice.realmId,
    senderId: bot.sender.id,
    recipientId: notice.recipientId,
    clientId: notice.clientId,
    topic: notice.topic,
    topicKey: normalizeTextForComparison(notice.topic),
    content: notice.content,
    rendered: rendered.html,
    renderedVersion: rendererVersion,
    isMeMessage: false,
    hasLink: rendered.hasLink,
    hasAttachment: rendered.hasAttachment,
    hasImage: rendered.hasImage,
  };
  // Settings of many recipients mark messages about resolved topics as read immediately, so each recipient needs a row.
  const receivers = { channelId: notice.channel.id, attentiveIds: notice.isResolution === true ? null : [] };
  const written = await insertMessage(tx, message, receivers, { ...rendered, readBySender: true });
  const place = { channelId: notice.channel.id, topic: notice.topic };
  const inserted = notice.isResolution === true ? await markTopicResolutionMessageRead(tx, written, place) : written;
  const conversation = { ...notice, realm: bot.realm, sender: bot.sender, participants: [] };
  const sent = { realmId: notice.realmId, conversation, inserted, content: notice.content, rendered: rendered.html };
  emitNewMessageEvent(tx, events, {
    ...sent,
    linkifiers: realm.linkifiers,
    client: internalClientName,
    widget: null,
    origin: null,
  });
  await updateTopicPoliciesAfterSend(tx, events, { ...sent, mentionedIds: [] });
}

async function findNotificationBot(tx: Tx, realmId: number): Promise<NotificationBotRow | undefined> {
  const { rows } = await tx.query<NotificationBotRow>(
    `SELECT realm.string_id AS realm, ${createPersonJsonSql('u')} AS sender
     FROM users u JOIN realms realm ON realm.id = u.realm_id
     WHERE u.realm_id = $1 AND u.is_system_bot AND u.delivery_email_key LIKE 'notification-bot@%'`,
    [realmId],
  );
  return rows[0];
}
