import type { Tx } from '@switchboard/database';
import { isChannelReadableSql } from '../access/channel-access.js';
import { aggregatePackedUserIdsSql, decodePackedUserIds } from '../access/sorted-user-ids.js';
import { historicalMessageFlagBits } from '../messages/index.js';

/** Reads the ids of the users who received a message. */
export async function listRecipientsOfMessage(tx: Tx, messageId: number): Promise<Uint32Array> {
  const { rows } = await tx.query<{ ids: Buffer }>(
    `SELECT ${aggregatePackedUserIdsSql('user_id')} AS ids FROM user_messages WHERE message_id = $1 AND flags >= 0`,
    [messageId],
  );
  return decodePackedUserIds(rows[0]?.ids ?? Buffer.alloc(0));
}

/**
 * Reads the users who received one of the messages. Groups the users by their flags on the message with the id
 * `flagsOf`.
 */
export async function groupMessageRecipientsByFlags(
  tx: Tx,
  messageIds: readonly number[],
  flagsOf: number,
): Promise<[flags: number, ids: Uint32Array][]> {
  const { rows } = await tx.query<{ flags: number; ids: Buffer }>(recipientsByFlagsSql, [messageIds, flagsOf]);
  return rows.map(({ flags, ids }) => [flags, decodePackedUserIds(ids)]);
}

const recipientsByFlagsSql = `
  SELECT flags, ${aggregatePackedUserIdsSql('user_id')} AS ids FROM (
    SELECT um.user_id, coalesce(max(um.flags) FILTER (WHERE um.message_id = $2), ${historicalMessageFlagBits}) AS flags
    FROM user_messages um WHERE um.message_id = ANY($1::bigint[]) AND um.flags >= 0 GROUP BY um.user_id) receiver
  GROUP BY flags`;

/** Reads the ids of the users who once subscribed to a channel and no longer subscribe to it. */
export async function listFormerSubscribers(tx: Tx, channelId: number): Promise<Uint32Array> {
  const { rows } = await tx.query<{ ids: Buffer }>(
    `SELECT ${aggregatePackedUserIdsSql('user_id')} AS ids FROM subscriptions WHERE channel_id = $1 AND NOT is_active`,
    [channelId],
  );
  return decodePackedUserIds(rows[0]?.ids ?? Buffer.alloc(0));
}

/**
 * Returns those of the given users who are active and may read the channel. If the channel is null (direct messages),
 * returns all active users of the given users.
 */
export async function listPermittedReaders(
  tx: Tx,
  userIds: Uint32Array,
  channelId: number | null,
): Promise<Uint32Array> {
  if (userIds.length === 0) return userIds;
  const { rows } = await tx.query<{ ids: Buffer }>(permittedReadersSql, [[...userIds], channelId]);
  return decodePackedUserIds(rows[0]?.ids ?? Buffer.alloc(0));
}

const readableChannelSql = isChannelReadableSql({ actor: 'u.id', isGuest: '(u.role = 600)' });

const permittedReadersSql = `
  SELECT ${aggregatePackedUserIdsSql('u.id')} AS ids FROM users u LEFT JOIN channels c ON c.id = $2
  LEFT JOIN subscriptions s ON s.channel_id = $2 AND s.user_id = u.id AND s.is_active
  WHERE u.id = ANY($1::int[]) AND u.is_active AND (c.id IS NULL OR ${readableChannelSql})`;
