import type { Tx } from '@switchboard/database';
import { userRoleNumbers } from '../../../infra/http/chat-actor.js';
import { rendererVersion } from '../../../infra/markdown/index.js';
import { addDirectConversationRecipient } from '../send/direct-destination.repository.js';
import type { MessageConversationTarget } from '../send/message-conversation.js';
import type { InsertedMessage } from '../send/inserted-message-row.js';
import { insertMessage } from '../send/insert-message.repository.js';
import type { MessagePersonRecord } from '../wire/message-record-schema.js';
import { createPersonJsonSql } from '../wire/message-rows-sql.js';
import { createDirectConversationLookupKey } from '../read/narrow/narrow-conditions.js';
import { internalClientName, type NotificationBotDependencies } from './post-notification-bot-message.js';
import { resolveMarkdownNames } from '../send/resolve-markdown-names.js';
import { emitNewMessageEvent } from '../send/emit-new-message-event.js';

/** A direct message that a system bot sends to one user. */
export interface SystemBotMessage {
  readonly realmId: number;
  /** System bot that sends the message. */
  readonly bot: 'welcome-bot' | 'notification-bot';
  readonly userId: number;
  /** Markdown source of the message. */
  readonly content: string;
  /** Id of the database row for the client program {@link internalClientName}. */
  readonly clientId: number;
}

/**
 * Sends a direct message from a system bot. Does nothing in a realm without that bot. Locks the recipient's user row.
 *
 * @returns the sent message, or null in a realm without that bot
 */
export async function postSystemBotMessage(
  tx: Tx,
  { events, renderer, realm }: NotificationBotDependencies,
  notice: SystemBotMessage,
): Promise<{ readonly conversation: MessageConversationTarget; readonly inserted: InsertedMessage } | null> {
  const { rows } = await tx.query<{ realm: string; bot: MessagePersonRecord; person: MessagePersonRecord }>(
    `SELECT realm.string_id AS realm, ${createPersonJsonSql('bot')} AS bot, ${createPersonJsonSql('u')} AS person
     FROM users bot JOIN realms realm ON realm.id = bot.realm_id JOIN users u ON u.realm_id = realm.id
     WHERE bot.realm_id = $1 AND bot.is_system_bot AND bot.delivery_email_key LIKE $2 || '@%' AND u.id = $3
     FOR SHARE OF u`,
    [notice.realmId, notice.bot, notice.userId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const ids = [row.bot.id, row.person.id].toSorted((a, b) => a - b);
  const recipientId = await addDirectConversationRecipient(
    tx,
    notice.realmId,
    createDirectConversationLookupKey(ids),
    ids,
  );
  const parsed = renderer.parse(notice.content, realm);
  const author = { id: row.bot.id, realmId: notice.realmId, role: userRoleNumbers.member };
  const rendered = renderer.render(parsed, await resolveMarkdownNames(tx, author, parsed));
  const message = {
    realmId: notice.realmId,
    senderId: row.bot.id,
    recipientId,
    clientId: notice.clientId,
    topic: '',
    topicKey: '',
    content: notice.content,
    rendered: rendered.html,
    renderedVersion: rendererVersion,
    isMeMessage: false,
    hasLink: rendered.hasLink,
    hasAttachment: rendered.hasAttachment,
    hasImage: rendered.hasImage,
  };
  const inserted = await insertMessage(tx, message, { userIds: ids }, { ...rendered, readBySender: true });
  const conversation = {
    recipientId,
    realm: row.realm,
    sender: row.bot,
    channel: null,
    participants: [row.bot, row.person],
    topic: '',
    isPublic: false,
  };
  const sent = { realmId: notice.realmId, conversation, inserted, content: notice.content, rendered: rendered.html };
  emitNewMessageEvent(tx, events, {
    ...sent,
    linkifiers: realm.linkifiers,
    client: internalClientName,
    widget: null,
    origin: null,
  });
  return { conversation, inserted };
}
