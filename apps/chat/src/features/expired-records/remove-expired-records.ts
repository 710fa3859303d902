import type { Tx } from '@switchboard/database';

const expiredRecordsBatchSize = 1_000;

/**
 * SQL that deletes invitations that can no longer be accepted. A reusable invitation link remains while invitations
 * that were created from this link exist.
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

const deleteApiKeysSql = `DELETE FROM api_keys WHERE id IN (
  SELECT id FROM api_keys WHERE expires_at < now() - make_interval(days => $1) LIMIT $2
  FOR UPDATE SKIP LOCKED)`;

// The outer condition checks the time again, because a send may have renewed the key. Locked rows are skipped, because
// a send can have locked one of its two keys and wait for the other key.
const deleteExpiredIdempotencyKeysSql = `DELETE FROM send_keys WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM send_keys WHERE stored_at < now() - make_interval(days => $1) ORDER BY stored_at LIMIT $2
    FOR UPDATE SKIP LOCKED))
  AND stored_at < now() - make_interval(days => $1)`;

const deleteDeliveredMailsSql = `DELETE FROM delivered_mails WHERE digest IN (
  SELECT digest FROM delivered_mails WHERE delivered_at < now() - make_interval(days => $1) LIMIT $2)`;

/**
 * Number of days for which a repeated request to send a message is recognized by its idempotency key (docs/adr/0037).
 */
const sendKeyRetentionDays = 1;

/**
 * Removes expired records in batches. Removes API keys, invitations, email address changes, password reset links and
 * records of delivered emails that ended more than the given number of days ago. Also removes idempotency keys that are
 * older than a day.
 */
export async function removeExpiredRecords(database: Tx, days: number): Promise<void> {
  const statements = [
    deleteApiKeysSql,
    deleteEmailChangesSql,
    deletePasswordResetsSql,
    deleteInvitationsSql,
    deleteDeliveredMailsSql,
  ];
  for (const statement of statements) {
    await deleteExpiredRowsInBatches(database, statement, days);
  }
  await deleteExpiredRowsInBatches(database, deleteExpiredIdempotencyKeysSql, sendKeyRetentionDays);
}

async function deleteExpiredRowsInBatches(database: Tx, statement: string, days: number): Promise<void> {
  for (let removed = expiredRecordsBatchSize; removed === expiredRecordsBatchSize;) {
    removed = (await database.query(statement, [days, expiredRecordsBatchSize])).rowCount;
  }
}
