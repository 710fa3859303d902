import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { lockChannels, type LockedChannel } from '../channels/index.js';
import { selectAccessibleMessageClauses, shownTopicSql, NumberedSqlParameters } from '../messages/index.js';

/** A message that is about to be changed. The transaction has locked the message's row and its channel. */
export interface LockedMessage {
  readonly id: number;
  readonly realmId: number;
  readonly senderId: number;
  /** User id of the owner if a bot sent the message; null for human senders. */
  readonly senderOwnerId: number | null;
  readonly recipientId: number;
  /** Channel of the message; null for direct messages. */
  readonly channel: LockedChannel | null;
  /** True if the acting user subscribes to the channel of the message. */
  readonly isSubscribed: boolean;
  readonly topic: string;
  readonly topicKey: string;
  /** Id of the topic of the message; null for direct messages. */
  readonly topicId: number | null;
  readonly content: string;
  readonly rendered: string;
  /** Time at which the message was sent, in milliseconds since the epoch. */
  readonly sentAtMs: number;
  /** True if the message is a poll or a to-do list. */
  readonly hasWidget: boolean;
}

export interface LockMessageOptions {
  /**
   * Lock mode of the message's channel. Mode `messages` is for changes of the message alone; other messages can be sent
   * and changed at the same time. Mode `subscribers` is for Notification Bot messages, and mode `settings` for moves
   * and deletions. In the last two modes, senders of messages wait.
   */
  readonly purpose: 'messages' | 'subscribers' | 'settings';
  /** Id of a second channel to lock in addition to the channel of the message. */
  readonly alsoChannelId?: number | undefined;
}

interface LockedMessageRow {
  id: number;
  sender_id: number;
  sender_owner_id: number | null;
  recipient_id: number;
  is_subscribed: boolean;
  topic: string;
  topic_id: number | null;
  topic_key: string;
  content: string;
  rendered_content: string;
  sent_at_ms: number;
  has_widget: boolean;
  actor_is_active: boolean;
}

/**
 * Maximum number of attempts to lock a message. A further attempt is necessary if the message was moved to another
 * channel while the transaction waited for the lock.
 */
const maxLockMessageAttempts = 5;

/**
 * Loads a message that the actor can read. Locks the message's channel first, and then the message.
 * @throws ApplicationError BAD_REQUEST `Invalid message(s)`, both for a nonexistent message and for a message that the
 * actor cannot read; USER_DEACTIVATED
 */
export async function lockMessage(
  tx: Tx,
  actor: ChatActor,
  id: number,
  options: LockMessageOptions,
): Promise<LockedMessage> {
  for (let attempt = 0; attempt < maxLockMessageAttempts; attempt += 1) {
    const place = await findConversationOfMessage(tx, actor.realmId, id);
    if (place === undefined) throw createInvalidMessagesError();
    const ids = [place.channelId, options.alsoChannelId].filter((channel) => typeof channel === 'number');
    const channels = ids.length === 0 ? [] : await lockChannels(tx, actor.realmId, { ids }, options.purpose);
    const row = await lockMessageRow(tx, actor, id, place.recipientId);
    if (row !== undefined)
      return toLockedMessage(
        row,
        actor.realmId,
        channels.find(({ id: channel }) => channel === place.channelId) ?? null,
      );
    // The message is either hidden or was moved while its old channel was being locked.
    const now = await findConversationOfMessage(tx, actor.realmId, id);
    if (now?.recipientId === place.recipientId) throw createInvalidMessagesError();
  }
  throw createInvalidMessagesError();
}

/** Creates the error for a message that does not exist or that the actor cannot read (docs/contract/chat.md 1.6). */
export function createInvalidMessagesError(): Error {
  return createBadRequestError('Invalid message(s)');
}

async function findConversationOfMessage(tx: Tx, realmId: number, id: number) {
  const { rows } = await tx.query<{ recipient_id: number; channel_id: number | null }>(
    `SELECT m.recipient_id, r.channel_id FROM messages m JOIN recipients r ON r.id = m.recipient_id
     WHERE m.id = $1 AND m.realm_id = $2`,
    [id, realmId],
  );
  const [row] = rows;
  return row && { recipientId: row.recipient_id, channelId: row.channel_id };
}

/**
 * Loads and locks a message. Returns undefined if the message no longer exists or the actor may not see it. The access
 * check is a second statement, so that it sees all changes for which the first statement waited.
 * @throws ApplicationError USER_DEACTIVATED when the account was deactivated after the authentication
 */
async function lockMessageRow(
  tx: Tx,
  actor: ChatActor,
  id: number,
  recipientId: number,
): Promise<LockedMessageRow | undefined> {
  const parameters = new NumberedSqlParameters();
  const { from, where } = selectAccessibleMessageClauses(actor, parameters);
  const accessible = `WHERE ${where} AND m.id = ${parameters.addValue(id)} AND m.recipient_id = ${parameters.addValue(recipientId)}`;
  const shared = [...parameters.values];
  const actorId = parameters.addValue(actor.id);
  const [{ rowCount }, { rows }] = await Promise.all([
    tx.query(`SELECT 1 FROM ${from} ${accessible} FOR UPDATE OF m`, shared),
    tx.query<LockedMessageRow>(
      `SELECT m.id, m.sender_id, (SELECT bot_owner_id FROM users WHERE id = m.sender_id) AS sender_owner_id,
       m.recipient_id, s.user_id IS NOT NULL AS is_subscribed, ${shownTopicSql} AS topic, m.topic_id,
       coalesce(mt.topic_key, '') AS topic_key, x.content, x.rendered_content,
       floor(extract(epoch FROM m.date_sent) * 1000)::bigint AS sent_at_ms,
       EXISTS (SELECT 1 FROM submessages sm WHERE sm.message_id = m.id) AS has_widget,
       (SELECT is_active FROM users WHERE id = ${actorId}) AS actor_is_active
       FROM ${from} JOIN message_texts x ON x.message_id = m.id ${accessible}`,
      parameters.values,
    ),
  ]);
  const [row] = rows;
  if (row?.actor_is_active === false) throw chatErrors.create('USER_DEACTIVATED');
  return rowCount === 0 ? undefined : row;
}

function toLockedMessage(row: LockedMessageRow, realmId: number, channel: LockedChannel | null): LockedMessage {
  return {
    id: row.id,
    realmId,
    senderId: row.sender_id,
    senderOwnerId: row.sender_owner_id,
    recipientId: row.recipient_id,
    channel,
    isSubscribed: row.is_subscribed,
    topic: row.topic,
    topicKey: row.topic_key,
    topicId: row.topic_id,
    content: row.content,
    rendered: row.rendered_content,
    sentAtMs: row.sent_at_ms,
    hasWidget: row.has_widget,
  };
}
