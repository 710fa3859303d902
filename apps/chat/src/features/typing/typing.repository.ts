import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { subscriberCountSql } from '../../core/channels/index.js';

/**
 * Maximum number of subscribers that a channel may have for typing notifications to be sent in the channel
 * (docs/contract/chat.md 3.4).
 */
const maxSubscribersForTypingNotifications = 100;

const userWantsTypingNotificationsSql = `coalesce((u.settings ->> 'receives_typing_notifications')::boolean, true)`;

/** The user who is typing, with the data that other users see. */
export interface TypingUser {
  readonly id: number;
  readonly deliveryEmail: string;
  readonly emailVisibility: number;
  readonly isBot: boolean;
}

/**
 * Settings of a user: for direct and for channel conversations, true if the user allows typing notifications to be
 * sent.
 */
export interface TypingNotificationSettings {
  readonly direct: boolean;
  readonly channel: boolean;
}

/** Reads the user who is typing, with the user's settings for typing notifications. */
export async function readTypingUser(
  tx: SqlQueryRunner,
  userId: number,
): Promise<{ sender: TypingUser; consent: TypingNotificationSettings }> {
  const { rows } = await tx.query<TypingUser & TypingNotificationSettings>(
    `SELECT id, delivery_email AS "deliveryEmail", email_address_visibility AS "emailVisibility",
       bot_type IS NOT NULL AS "isBot",
       coalesce((settings ->> 'send_private_typing_notifications')::boolean, true) AS direct,
       coalesce((settings ->> 'send_stream_typing_notifications')::boolean, true) AS channel
     FROM users WHERE id = $1`,
    [userId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`There is no user ${userId}`);
  const { direct, channel, ...sender } = row;
  return { sender, consent: { direct, channel } };
}

/** Returns the ids of the given users who are active and want typing notifications. */
export async function filterDirectMessageTypingRecipients(
  tx: SqlQueryRunner,
  userIds: readonly number[],
): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT u.id FROM users u WHERE u.id = ANY($1::int[]) AND u.is_active AND ${userWantsTypingNotificationsSql} ORDER BY u.id`,
    [userIds],
  );
  return rows.map(({ id }) => id);
}

/**
 * Lists the ids of channel subscribers who want typing notifications. Returns an empty list if the channel has too many
 * subscribers.
 */
export async function listChannelTypingRecipientIds(tx: SqlQueryRunner, channelId: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number; wants: boolean }>(
    `SELECT u.id, ${userWantsTypingNotificationsSql} AS wants FROM subscriptions s JOIN users u ON u.id = s.user_id
     WHERE ${subscriberCountSql('$1')} <= $2 AND s.channel_id = $1 AND s.is_active AND u.is_active ORDER BY u.id`,
    [channelId, maxSubscribersForTypingNotifications],
  );
  return rows.filter(({ wants }) => wants).map(({ id }) => id);
}
