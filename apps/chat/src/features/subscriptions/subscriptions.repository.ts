import type { Tx } from '@switchboard/database';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import type { SubscriptionRow } from '../../core/channels/index.js';
import { lockUserMessageRowsSql } from '../../core/messages/index.js';

/** Key of a subscription: a user and a channel. */
export interface UserAndChannelIds {
  user_id: number;
  channel_id: number;
}

/** Returns the ids of the given channels to which the user subscribes. Other channels are omitted. */
export async function filterSubscribedChannelIds(
  tx: SqlQueryRunner,
  userId: number,
  channelIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await tx.query<{ channel_id: number }>(
    'SELECT channel_id FROM subscriptions WHERE user_id = $1 AND channel_id = ANY($2::bigint[]) AND is_active',
    [userId, channelIds],
  );
  return new Set(rows.map((row) => row.channel_id));
}

/** Ends subscriptions of users to channels, in one statement. Returns the subscriptions that were active. */
export async function endSubscriptions(
  tx: Tx,
  userIds: readonly number[],
  channelIds: readonly number[],
): Promise<UserAndChannelIds[]> {
  const { rows } = await tx.query<UserAndChannelIds>(
    `UPDATE subscriptions SET is_active = false
     WHERE user_id = ANY($1) AND channel_id = ANY($2) AND is_active RETURNING user_id, channel_id`,
    [userIds, channelIds],
  );
  return rows;
}

/**
 * Maximum number of channel messages that are looked up individually among a user's unread messages. For more messages,
 * the statement reads all unread messages of the user.
 */
const maxLookupsWhenMarkingRead = 10_000;

/**
 * Marks the unread messages of channels as read for users who unsubscribed. The messages then do not reappear as unread
 * after a later subscription. The cost is proportional to the number of the channels' messages or of the users' unread
 * messages, whichever is smaller.
 */
export async function markMessagesReadAfterLeaving(tx: Tx, ended: readonly UserAndChannelIds[]): Promise<void> {
  const userIds = ended.map((row) => row.user_id);
  const channelIds = ended.map((row) => row.channel_id);
  const { rows } = await tx.query<{ ids: number[] }>(
    `SELECT coalesce(array_agg(sent.id), '{}') AS ids FROM (
       SELECT m.id FROM recipients r JOIN messages m ON m.recipient_id = r.id
       WHERE r.channel_id = ANY($1::bigint[]) LIMIT ${maxLookupsWhenMarkingRead + 1}) sent`,
    [[...new Set(channelIds)]],
  );
  const messageIds = rows[0]?.ids ?? [];
  if (messageIds.length === 0) return;
  const isFew = messageIds.length <= maxLookupsWhenMarkingRead;
  const sought = [...new Set(userIds)];
  // The statement is planned each time, because a generic plan would not search the index for all users and messages.
  await tx.query(
    { text: markReadAfterLeavingSql(isFew ? 'AND um.message_id = ANY($4::bigint[])' : ''), planned: 'each time' },
    isFew ? [userIds, channelIds, sought, messageIds] : [userIds, channelIds, sought],
  );
}

/**
 * Returns SQL that marks unread messages of channels as read for users who unsubscribed. The derived table
 * `left_channel` contains the pairs of user and channel.
 */
const markReadAfterLeavingSql = (ofMessages: string): string => `
  WITH found AS MATERIALIZED (
    SELECT um.user_id, um.message_id FROM user_messages um
    WHERE um.user_id = ANY($3::int[]) AND um.flags & 1 = 0 ${ofMessages}
  ), unread AS MATERIALIZED (
    SELECT found.user_id, found.message_id FROM found
    JOIN messages m ON m.id = found.message_id JOIN recipients r ON r.id = m.recipient_id
    JOIN unnest($1::int[], $2::int[]) AS left_channel(user_id, channel_id)
      ON left_channel.user_id = found.user_id AND left_channel.channel_id = r.channel_id
  ), held AS (
    SELECT um.user_id, um.message_id FROM unread
    JOIN user_messages um ON um.user_id = unread.user_id AND um.message_id = unread.message_id
    WHERE um.flags & 1 = 0 ${lockUserMessageRowsSql}
  )
  UPDATE user_messages um SET flags = um.flags | 1 FROM held
  WHERE um.user_id = held.user_id AND um.message_id = held.message_id`;

/** Lists the ids of the channels to which a user subscribes, in one statement. */
export async function listSubscribedChannelIds(tx: SqlQueryRunner, userId: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    'SELECT channel_id AS id FROM subscriptions WHERE user_id = $1 AND is_active',
    [userId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Lists the active subscriptions of a user in one statement. Each subscription contains the properties that the user
 * has set.
 */
export async function listActiveSubscriptionsOfUser(
  tx: SqlQueryRunner,
  userId: number,
): Promise<{ readonly id: number; readonly subscription: SubscriptionRow }[]> {
  const { rows } = await tx.query<{ id: number; subscription: SubscriptionRow }>(
    `SELECT channel_id AS id, to_jsonb(own) AS subscription FROM subscriptions own
     WHERE user_id = $1 AND is_active ORDER BY channel_id`,
    [userId],
  );
  return rows;
}
