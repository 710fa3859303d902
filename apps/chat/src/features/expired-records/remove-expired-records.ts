import type { Tx } from '@switchboard/database';

const batchSize = 1_000;

/**
 * SQL that deletes invitations that can no longer be accepted. Links from which pending invitations were created
 * remain.
 */
const deleteInvitationsSql = `DELETE FROM invitations WHERE id IN (
  SELECT i.id FROM invitations i
  WHERE coalesce(i.expires_at, i.invited_at) < now() - make_interval(days => $1)
    AND (i.status <> 'pending' OR i.expires_at < now())
    AND NOT EXISTS (SELECT 1 FROM invitations child WHERE child.parent_id = i.id)
  LIMIT $2)`;

const deleteEmailChangesSql = `DELETE FROM email_changes WHERE user_id IN (
  SELECT user_id FROM email_changes WHERE expires_at < now() - make_interval(days => $1) LIMIT $2)
  AND expires_at < now() - make_interval(days => $1)`;

const deletePasswordResetsSql = `DELETE FROM password_resets WHERE user_id IN (
  SELECT user_id FROM password_resets WHERE expires_at < now() - make_interval(days => $1) LIMIT $2)
  AND expires_at < now() - make_interval(days => $1)`;

/** Removes invitations, address changes and links for new passwords that ended more than the given number of days ago, in batches. */
export async function removeExpiredRecords(database: Tx, days: number): Promise<void> {
  for (const statement of [deleteEmailChangesSql, deletePasswordResetsSql, deleteInvitationsSql]) {
    for (let removed = batchSize; removed === batchSize;) {
      removed = (await database.query(statement, [days, batchSize])).rowCount;
    }
  }
}
