import type { Tx } from '@switchboard/database';
import type { SqlReader } from '../../access/sql-reader.js';
import { lockUserMessages } from '../messages/index.js';

/** Who subscribes to what: one subscription. */
export interface SubscriptionKey {
  user_id: number;
  channel_id: number;
}

/** Those of these channels that the user subscribes to. */
export async function listSubscribedChannels(
  tx: SqlReader,
  userId: number,
  channelIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await tx.query<{ channel_id: number }>(
    'SELECT channel_id FROM subscriptions WHERE user_id = $1 AND channel_id = ANY($2::bigint[]) AND is_active',
    [userId, channelIds],
  );
  return new Set(rows.map((row) => row.channel_id));
}

/** Ends the subscriptions of people to channels: one statement. Answers with those that ended. */
export async function endSubscriptions(
  tx: Tx,
  userIds: readonly number[],
  channelIds: readonly number[],
): Promise<SubscriptionKey[]> {
  const { rows } = await tx.query<SubscriptionKey>(
    `UPDATE subscriptions SET is_active = false
     WHERE user_id = ANY($1) AND channel_id = ANY($2) AND is_active RETURNING user_id, channel_id`,
    [userIds, channelIds],
  );
  return rows;
}

/** Marks what people have not read in channels that they left as read, so that it does not wait for their return. */
export async function readAbandonedMessages(tx: Tx, ended: readonly SubscriptionKey[]): Promise<void> {
  await tx.query(
    `WITH unread AS (
       SELECT um.user_id, um.message_id
       FROM unnest($1::int[], $2::int[]) AS gone(user_id, channel_id)
       JOIN recipients r ON r.channel_id = gone.channel_id JOIN messages m ON m.recipient_id = r.id
       JOIN user_messages um ON um.user_id = gone.user_id AND um.message_id = m.id
       WHERE um.flags & 1 = 0 ${lockUserMessages})
     UPDATE user_messages um SET flags = um.flags | 1 FROM unread
     WHERE um.user_id = unread.user_id AND um.message_id = unread.message_id`,
    [ended.map((row) => row.user_id), ended.map((row) => row.channel_id)],
  );
}
