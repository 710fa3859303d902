import type { Tx } from '@switchboard/database';
import type { AlertedAndMutingUsers } from '../../alert-words-and-mutes/index.js';
import type { InsertedMessage } from './inserted-message-row.js';
import { messageFlagBits } from '../wire/message-flag-bits.js';

/**
 * Sets the flag `has_alert_word` of a new message for recipients whose alert words match, and `read` for recipients who
 * muted the sender. Executes at most one SQL statement.
 */
export async function setRecipientMessageFlags(
  tx: Tx,
  inserted: InsertedMessage,
  { alertedIds, muterIds }: AlertedAndMutingUsers,
): Promise<InsertedMessage> {
  if (alertedIds.length === 0 && muterIds.length === 0) return inserted;
  const { rows } = await tx.query<{ user_id: number; flags: number }>(
    `UPDATE user_messages SET flags = flags
       | CASE WHEN user_id = ANY($2::int[]) THEN ${messageFlagBits.has_alert_word} ELSE 0 END
       | CASE WHEN user_id = ANY($3::int[]) THEN ${messageFlagBits.read} ELSE 0 END
     WHERE message_id = $1 AND user_id = ANY($2::int[] || $3::int[]) RETURNING user_id, flags`,
    [inserted.id, alertedIds, muterIds],
  );
  if (rows.length === 0) return inserted;
  const marked = new Map(rows.map((row) => [row.user_id, row.flags]));
  const byFlags = new Map<number, number[]>();
  for (const [flags, userIds] of inserted.receivers) {
    for (const userId of userIds) {
      const own = marked.get(userId) ?? flags;
      const alike = byFlags.get(own);
      if (alike === undefined) byFlags.set(own, [userId]);
      else alike.push(userId);
    }
  }
  return { ...inserted, receivers: [...byFlags] };
}
