import type { Tx } from '@switchboard/database';

/**
 * Bit of `user_messages.flags` that marks a message as read by its recipient, equal to the bit in
 * `message-flag-bits.ts`.
 */
const readMessageFlagBit = 1;

/**
 * Returns SQL that computes the `user_messages` rows that soft deactivation has omitted. The result columns are
 * `user_id`, `message_id` and `flags`. The rows belong to users who subscribed to the channel when the message was
 * sent, and who are soft-deactivated or have missing rows. For users who unsubscribed later, the messages are marked as
 * read.
 *
 * @param messageIds SQL of an array of message ids
 */
export const omittedMessageRowsSql = (messageIds: string): string => `
  SELECT away.user_id, absent.id AS message_id, CASE WHEN EXISTS (
    SELECT FROM subscription_changes later WHERE later.user_id = away.user_id
      AND later.recipient_id = absent.recipient_id AND later.message_id > absent.id AND later.kind = 'ended'
    ) THEN ${readMessageFlagBit} ELSE 0 END AS flags
  FROM messages absent
  JOIN subscription_changes begun ON begun.recipient_id = absent.recipient_id AND begun.message_id <= absent.id
  JOIN soft_deactivations away ON away.user_id = begun.user_id AND away.after_message_id < absent.id
  WHERE absent.id = ANY(${messageIds}) AND begun.kind = 'began'
    AND NOT EXISTS (
      SELECT FROM subscription_changes newer WHERE newer.user_id = begun.user_id AND newer.recipient_id = begun.recipient_id
        AND newer.message_id <= absent.id AND (newer.message_id, newer.id) > (begun.message_id, begun.id))
    AND NOT EXISTS (SELECT FROM settled_messages settled WHERE settled.message_id = absent.id)
    AND NOT EXISTS (SELECT FROM user_messages own WHERE own.user_id = away.user_id AND own.message_id = absent.id)`;

/**
 * Returns the SQL condition that at least one user who is away ever subscribed to the channel of a recipient row.
 * Otherwise soft deactivation omitted no row. The condition does not depend on the message, so PostgreSQL
 * evaluates it once per statement.
 */
export const hasConversationAwaySubscriberSql = (recipientId: string): string => `EXISTS (
  SELECT FROM subscription_changes begun JOIN soft_deactivations away ON away.user_id = begun.user_id
  WHERE begun.recipient_id = ${recipientId})`;

/**
 * Returns SQL that writes the omitted `user_messages` rows of the given messages if a condition is true. Existing rows
 * remain unchanged.
 */
export const insertOmittedMessageRowsSql = (messageIds: string, condition = 'true'): string => `
  INSERT INTO user_messages (user_id, message_id, flags)
  SELECT missing.user_id, missing.message_id, missing.flags FROM (${omittedMessageRowsSql(messageIds)}) missing
  WHERE ${condition} ORDER BY missing.message_id, missing.user_id ON CONFLICT DO NOTHING`;

/**
 * Writes all omitted `user_messages` rows of messages that are about to move to another channel, because the recipients
 * cannot be derived from the new channel. The caller must have locked the channel against sends.
 *
 * @param recipientId recipient id of the channel that currently contains the messages
 */
export async function writeOmittedRowsOfMessages(
  tx: Tx,
  recipientId: number,
  messageIds: readonly number[],
): Promise<void> {
  await tx.query(insertOmittedMessageRowsSql('$1::bigint[]', hasConversationAwaySubscriberSql('$2')), [
    messageIds,
    recipientId,
  ]);
  await tx.query(
    `INSERT INTO settled_messages (message_id) SELECT unnest($1::bigint[]) ORDER BY 1 ON CONFLICT DO NOTHING`,
    [messageIds],
  );
}
