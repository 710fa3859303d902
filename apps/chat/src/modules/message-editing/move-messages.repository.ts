import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../access/actor.js';
import { channelReadable } from '../../access/channel-access.js';
import type { HeldMessage } from '../message-access/index.js';
import { accessibleMessages, lockUserMessages, SqlParameters } from '../messages/index.js';
import type { MessageMove } from './update-message.events.js';

/** A message that a move takes along. */
export interface MovableMessage {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly sentAtMs: number;
}

/** The messages that a move takes along, ascending and held: of the topic, those that the actor may read. */
export async function lockMovedMessages(
  tx: Tx,
  actor: ChatActor,
  message: HeldMessage,
  mode: MessageMove['propagateMode'],
): Promise<MovableMessage[]> {
  if (mode === 'change_one') return [{ id: message.id, sentAtMs: message.sentAtMs }];
  const sql = new SqlParameters();
  const { from, where } = accessibleMessages(actor, sql);
  const { rows } = await tx.query<{ id: number; sent_at_ms: number }>(
    `SELECT m.id, floor(extract(epoch FROM m.date_sent) * 1000)::bigint AS sent_at_ms
     FROM ${from}
     WHERE ${where} AND m.recipient_id = ${sql.add(message.recipientId)} AND m.topic_key = ${sql.add(message.topicKey)}
       AND m.id >= ${sql.add(mode === 'change_all' ? 0 : message.id)}
     ORDER BY m.id FOR UPDATE OF m`,
    sql.values,
  );
  return rows.map((row) => ({ id: row.id, sentAtMs: row.sent_at_ms }));
}

/**
 * Marks messages as read for those who do not subscribe where these go, as leaving a channel does: nothing waits unread
 * where nobody is shown it, to come up again with a later move or subscription. One statement.
 */
export async function readUnfollowed(tx: Tx, messageIds: readonly number[], channelId: number): Promise<void> {
  await tx.query(
    `WITH unread AS (
       SELECT um.user_id, um.message_id FROM user_messages um
       WHERE um.message_id = ANY($1::bigint[]) AND um.flags & 1 = 0 AND NOT EXISTS (
         SELECT 1 FROM subscriptions s WHERE s.channel_id = $2 AND s.user_id = um.user_id AND s.is_active)
       ${lockUserMessages})
     UPDATE user_messages um SET flags = um.flags | 1 FROM unread
     WHERE um.user_id = unread.user_id AND um.message_id = unread.message_id`,
    [messageIds, channelId],
  );
}

/**
 * Takes messages out of the histories of those who cannot read them in the channel that they went to, and finds those
 * of these people who cannot either. One statement.
 *
 * @returns the ids of all of them
 */
export async function removeUnreadable(
  tx: Tx,
  messageIds: readonly number[],
  channelId: number,
  people: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await tx.query<{ id: number }>(removalSql, [messageIds, channelId, people]);
  return new Set(rows.map(({ id }) => id));
}

/** Where history is not shared, nobody reads what they did not receive. */
const removalSql = `
  WITH holder AS (
    SELECT DISTINCT user_id FROM user_messages WHERE message_id = ANY($1::bigint[]) AND flags >= 0
  ), lost AS (
    SELECT u.id FROM users u
    JOIN (SELECT user_id FROM holder UNION SELECT unnest($3::int[])) person ON person.user_id = u.id
    JOIN channels c ON c.id = $2
    LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = u.id AND s.is_active
    WHERE NOT ${channelReadable({ actor: 'u.id', isGuest: '(u.role = 600)' })}
      OR (c.is_private AND NOT c.history_public_to_subscribers AND u.id NOT IN (SELECT user_id FROM holder))
  ), held AS (
    SELECT um.user_id, um.message_id FROM user_messages um JOIN lost ON lost.id = um.user_id
    WHERE um.message_id = ANY($1::bigint[]) ${lockUserMessages}
  ), removed AS (
    DELETE FROM user_messages um USING held WHERE um.user_id = held.user_id AND um.message_id = held.message_id
  )
  SELECT id FROM lost`;

/** Whether a topic is empty now. */
export async function isTopicGone(tx: Tx, recipientId: number, topicKey: string): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT 1 FROM messages WHERE recipient_id = $1 AND topic_key = $2 LIMIT 1', [
    recipientId,
    topicKey,
  ]);
  return rowCount === 0;
}
