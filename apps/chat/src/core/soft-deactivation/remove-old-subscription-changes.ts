import type { Database } from '@switchboard/database';
import { lockSoftDeactivations } from '../database-locks.js';

const usersPerSubscriptionChangeRemoval = 500;

/**
 * SQL that deletes subscription changes that are no longer needed to derive omitted `user_messages` rows. The last
 * change of each subscription remains, because the last change determines the recipients of new messages. Changes that
 * are needed for soft-deactivated users also remain.
 */
const removeOldSubscriptionChangesSql = `
  WITH change AS (
    SELECT user_id, recipient_id, message_id, id, changed_at, lead(message_id) OVER (
      PARTITION BY user_id, recipient_id ORDER BY message_id, id) AS next_message_id
    FROM subscription_changes WHERE user_id > $1 AND user_id <= $1 + ${usersPerSubscriptionChangeRemoval}
  )
  DELETE FROM subscription_changes old USING change
  WHERE old.user_id = change.user_id AND old.recipient_id = change.recipient_id
    AND old.message_id = change.message_id AND old.id = change.id
    AND change.next_message_id <= coalesce(
      (SELECT after_message_id + 1 FROM soft_deactivations away WHERE away.user_id = old.user_id), 9223372036854775807)
    AND change.changed_at < now() - make_interval(days => $2)`;

/**
 * Removes, in batches, subscription changes that are older than the given number of days and were followed by a later
 * change. Later soft deactivations do not need the removed changes. The function locks a table to wait for uncommitted
 * soft deactivations.
 */
export async function removeOldSubscriptionChanges(
  database: Database,
  days: number,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await database.query<{ last: number }>('SELECT coalesce(max(id), 0) AS last FROM users');
  const last = rows[0]?.last ?? 0;
  for (let after = 0; after < last && !signal.aborted; after += usersPerSubscriptionChangeRemoval) {
    await database.inTransaction(async (tx) => {
      await lockSoftDeactivations(tx);
      await tx.query(removeOldSubscriptionChangesSql, [after, days]);
    });
  }
}
