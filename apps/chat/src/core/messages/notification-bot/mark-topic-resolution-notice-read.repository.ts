import type { Tx } from '@switchboard/database';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import type { InsertedMessage } from '../send/inserted-message-row.js';
import { messageFlagBits } from '../wire/message-flag-bits.js';

/**
 * Marks the message about a resolved topic as read for users, according to their setting
 * `resolved_topic_notice_auto_read_policy`. The setting applies always, never, or only to topics that the user does not
 * follow. Executes one SQL statement.
 *
 * @returns the message with its recipients grouped by their new flags
 */
export async function markTopicResolutionMessageRead(
  tx: Tx,
  notice: InsertedMessage,
  place: { readonly channelId: number; readonly topic: string },
): Promise<InsertedMessage> {
  const { rows } = await tx.query<{ user_id: number }>(
    `UPDATE user_messages um SET flags = um.flags | ${messageFlagBits.read}
     FROM users u
     LEFT JOIN user_topics ut ON ut.user_id = u.id AND ut.channel_id = $2 AND ut.topic_key = $3
     WHERE um.message_id = $1 AND um.flags >= 0 AND u.id = um.user_id
       AND CASE coalesce(u.settings ->> 'resolved_topic_notice_auto_read_policy', 'except_followed')
         WHEN 'always' THEN true WHEN 'never' THEN false ELSE coalesce(ut.visibility_policy, 0) <> 3 END
     RETURNING um.user_id`,
    [notice.id, place.channelId, normalizeTextForComparison(place.topic)],
  );
  const readers = new Set(rows.map((row) => row.user_id));
  const receivers = notice.receivers.flatMap(([flags, userIds]) => [
    [flags | messageFlagBits.read, userIds.filter((id) => readers.has(id))] as const,
    [flags, userIds.filter((id) => !readers.has(id))] as const,
  ]);
  return { ...notice, receivers: receivers.filter(([, userIds]) => userIds.length > 0) };
}
