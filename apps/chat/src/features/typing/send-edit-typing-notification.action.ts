import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { subscriberCountSql } from '../../core/channels/index.js';
import { type LockedMessage, lockMessage, MessageReaders } from '../../core/message-access/index.js';
import { typingEditStartEvent, typingEditStopEvent } from './message-typing.events.js';

/**
 * Maximum number of users who are notified that a message is being edited. In channels with more subscribers, no user
 * is notified (docs/contract/chat.md 3.4).
 */
const maxTypingRecipients = 100;

/**
 * Notifies the recipients of a message that the sender is editing the message (docs/contract/chat.md 2.C). The
 * notification is not stored in the database.
 */
@Injectable()
export class SendEditTypingNotification {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
    private readonly readers: MessageReaders,
  ) {}

  /**
   * Notifies the recipients of the message with the given id.
   *
   * @throws ApplicationError BAD_REQUEST for a message that is missing, hidden, or sent by another user
   */
  run(actor: ChatActor, messageId: number, op: 'start' | 'stop'): Promise<void> {
    return this.database.inTransaction(async (tx) => {
      const message = await lockMessage(tx, actor, messageId, { purpose: 'messages' });
      if (message.senderId !== actor.id) throw createBadRequestError("You don't have permission to edit this message");
      const channelId = message.channel?.id ?? null;
      if (channelId !== null && (await isTypingAudienceTooLarge(tx, channelId))) return;
      const { ids } = await this.readers.list(tx, messageId, message.channel);
      if (channelId !== null && ids.length > maxTypingRecipients) return;
      await this.#emit(tx, message, op, [...ids]);
    });
  }

  async #emit(tx: Tx, message: LockedMessage, op: 'start' | 'stop', readers: readonly number[]): Promise<void> {
    const { channel, topic, senderId } = message;
    const users = await filterUsersWantingTypingNotifications(
      tx,
      senderId,
      channel === null ? 'private' : 'stream',
      readers,
    );
    if (users.length === 0) return;
    this.events.write(tx, message.realmId, op === 'start' ? typingEditStartEvent : typingEditStopEvent, {
      audience: { users },
      payload: {
        senderId,
        messageId: message.id,
        channel: channel && { id: channel.id, topic },
        userIds: channel === null ? [...readers] : [],
      },
    });
  }
}

/**
 * Returns true if the subscriber count of a channel with shared history exceeds the maximum for typing notifications.
 * Otherwise the caller must list the recipients.
 */
async function isTypingAudienceTooLarge(tx: Tx, channelId: number): Promise<boolean> {
  const { rows } = await tx.query<{ is_too_large: boolean }>(
    `SELECT (NOT c.is_private OR c.history_public_to_subscribers) AND ${subscriberCountSql('c.id')} > $2 AS is_too_large
     FROM channels c WHERE c.id = $1`,
    [channelId, maxTypingRecipients],
  );
  return rows[0]?.is_too_large === true;
}

/**
 * Returns the ids of the given users who want typing notifications. Other users are omitted. The list is empty if the
 * sender's settings disable typing notifications.
 */
async function filterUsersWantingTypingNotifications(
  tx: Tx,
  senderId: number,
  kind: 'private' | 'stream',
  userIds: readonly number[],
): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT u.id FROM users u JOIN users sender ON sender.id = $1
     WHERE u.id = ANY($2) AND coalesce((u.settings ->> 'receives_typing_notifications')::boolean, true)
       AND coalesce((sender.settings ->> $3)::boolean, true)
     ORDER BY u.id`,
    [senderId, userIds, `send_${kind}_typing_notifications`],
  );
  return rows.map(({ id }) => id);
}
