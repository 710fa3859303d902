import type { Database, Tx } from '@switchboard/database';
import { removeEventWebhooks } from '../../core/event-webhooks/index.js';
import { listAttachmentStorageKeys } from '../../core/attachments/index.js';
import type { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { runMaintenanceSteps } from '../../infra/run-maintenance-steps.js';
import { listAvatarStorageKeys } from '../avatars/index.js';
import { listCustomEmojiStorageKeys } from '../custom-emoji/index.js';
import { listRealmImageFiles } from '../realm-images/index.js';

export interface RealmDeletionDependencies {
  readonly database: Database;
  readonly files: Pick<StoredFileDeletionSchedule, 'scheduleDeletion'>;
}

/**
 * Function that deletes one batch of a realm's rows from one table. Returns the number of deleted rows; 0 if no rows
 * remain.
 */
type RealmDeletionStep = (tx: Tx, tools: RealmDeletionDependencies, realmId: number) => Promise<number>;

/**
 * Deletes the data of deactivated realms whose deletion is due. Each batch of rows is deleted in a separate
 * transaction. After a crash, the next run continues. A separate cleanup job of the file storage removes the realm's
 * files.
 *
 * @param signal When aborted, the function stops after the current batch.
 * @throws the error of a realm, or AggregateError of several errors, after all other realms are done
 */
export async function deleteDueRealms(tools: RealmDeletionDependencies, signal: AbortSignal): Promise<void> {
  const { rows } = await tools.database.query<{ id: number }>(
    'SELECT id FROM realms WHERE deactivated AND deletion_due_at <= now() ORDER BY id',
  );
  await runMaintenanceSteps(
    rows.map(
      ({ id }) =>
        () =>
          deleteRealm(tools, id, signal),
    ),
  );
}

async function deleteRealm(tools: RealmDeletionDependencies, realmId: number, signal: AbortSignal): Promise<void> {
  for (const step of realmDeletionSteps) {
    for (let deleted = 1; deleted > 0;) {
      if (signal.aborted) return;
      deleted = await tools.database.inTransaction((tx) => step(tx, tools, realmId));
    }
  }
}

/** Deletes all database rows of a small realm in one transaction. */
export async function deleteRealmRows(tx: Tx, tools: RealmDeletionDependencies, realmId: number): Promise<void> {
  for (const step of realmDeletionSteps) while ((await step(tx, tools, realmId)) > 0);
}

/** Returns a deletion step that runs one statement with two parameters: the realm id and the maximum number of rows. */
const createSqlDeletionStep =
  (sql: string, maxRows: number): RealmDeletionStep =>
  async (tx, _tools, realmId) =>
    (await tx.query(sql, [realmId, maxRows])).rowCount;

/**
 * Returns a deletion step for a realm's rows in a table with a column `realm_id`. Foreign keys also delete the rows
 * that refer to the deleted rows.
 */
const createTableDeletionStep = (table: string, maxRows: number): RealmDeletionStep =>
  createSqlDeletionStep(
    `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE realm_id = $1 LIMIT $2)`,
    maxRows,
  );

/**
 * Returns a deletion step for all rows of a small table without a foreign key.
 *
 * @param column column with user ids, written as `table.column`
 */
const createUserTableDeletionStep = (column: string): RealmDeletionStep =>
  createSqlDeletionStep(
    `DELETE FROM ${column.split('.')[0]} WHERE $2 > 0 AND ${column} IN (SELECT id FROM users WHERE realm_id = $1)`,
    1,
  );

/**
 * Returns a deletion step that runs one statement, and schedules the deletion of the files to which the deleted rows
 * refer.
 */
const createFileDeletionStep =
  <Row>(sql: string, keysOf: (row: Row, realmId: number) => string[]): RealmDeletionStep =>
  async (tx, { files }, realmId) => {
    const { rows } = await tx.query<Row>(sql, [realmId, 500]);
    const keys = rows.flatMap((row) => keysOf(row, realmId));
    if (keys.length > 0) await files.scheduleDeletion(tx, keys);
    return rows.length;
  };

/** List of the steps that delete a realm's rows, in the order that the foreign keys require. */
const realmDeletionSteps: readonly RealmDeletionStep[] = [
  (tx, _tools, realmId) => removeEventWebhooks(tx, realmId, 1_000),
  createSqlDeletionStep(
    `DELETE FROM user_messages WHERE (user_id, message_id) IN (
       SELECT um.user_id, um.message_id FROM users u JOIN user_messages um ON um.user_id = u.id
       WHERE u.realm_id = $1 LIMIT $2)`,
    20_000,
  ),
  createTableDeletionStep('message_moves', 500),
  ...['doomed_senders.user_id', 'bot_calls.bot_id'].map(createUserTableDeletionStep),
  createTableDeletionStep('messages', 2_000),
  createFileDeletionStep<{ key: string }>(
    `DELETE FROM resumable_upload_parts WHERE (upload_id, start_at) IN (
       SELECT p.upload_id, p.start_at FROM users u JOIN resumable_uploads r ON r.owner_id = u.id
         JOIN resumable_upload_parts p ON p.upload_id = r.id WHERE u.realm_id = $1 LIMIT $2) RETURNING key`,
    (row) => [row.key],
  ),
  createFileDeletionStep<{ key: string }>(
    `DELETE FROM realm_export_parts WHERE (export_id, entry, piece) IN (
       SELECT p.export_id, p.entry, p.piece FROM realm_exports e JOIN realm_export_parts p ON p.export_id = e.id
       WHERE e.realm_id = $1 LIMIT $2) RETURNING key`,
    (row) => [row.key],
  ),
  createTableDeletionStep('realm_exports', 500),
  createFileDeletionStep<{ path_id: string }>(
    `DELETE FROM attachments WHERE id IN (SELECT id FROM attachments WHERE realm_id = $1 LIMIT $2) RETURNING path_id`,
    (row) => listAttachmentStorageKeys(row.path_id),
  ),
  createFileDeletionStep<{ file_name: string; is_animated: boolean }>(
    `DELETE FROM realm_emoji WHERE id IN (SELECT id FROM realm_emoji WHERE realm_id = $1 LIMIT $2)
     RETURNING file_name, is_animated`,
    (row, realmId) => listCustomEmojiStorageKeys(realmId, row.file_name, row.is_animated),
  ),
  createFileDeletionStep<{ images: Parameters<typeof listRealmImageFiles>[1] }>(
    `WITH shown AS (SELECT id, images FROM realms WHERE id = $1 AND images <> '{}' AND $2 > 0)
     UPDATE realms r SET images = '{}' FROM shown WHERE r.id = shown.id RETURNING shown.images`,
    (row, realmId) => listRealmImageFiles(realmId, row.images),
  ),
  createFileDeletionStep<{ avatar_key: string }>(
    `WITH shown AS (SELECT id, avatar_key FROM users WHERE realm_id = $1 AND avatar_key IS NOT NULL LIMIT $2)
     UPDATE users u SET avatar_key = NULL FROM shown WHERE u.id = shown.id RETURNING shown.avatar_key`,
    (row, realmId) => listAvatarStorageKeys(realmId, row.avatar_key),
  ),
  createSqlDeletionStep(
    `DELETE FROM subscriptions WHERE (user_id, channel_id) IN (
       SELECT s.user_id, s.channel_id FROM channels c JOIN subscriptions s ON s.channel_id = c.id
       WHERE c.realm_id = $1 LIMIT $2)`,
    10_000,
  ),
  // Must follow the deletion of subscriptions, which adds rows to this table.
  createSqlDeletionStep(
    `DELETE FROM subscription_changes WHERE id IN (
       SELECT s.id FROM recipients r JOIN subscription_changes s ON s.recipient_id = r.id
       WHERE r.realm_id = $1 LIMIT $2) AND recipient_id IN (SELECT id FROM recipients WHERE realm_id = $1)`,
    10_000,
  ),
  createSqlDeletionStep(
    `DELETE FROM topics WHERE id IN (
       SELECT t.id FROM recipients r JOIN topics t ON t.recipient_id = r.id WHERE r.realm_id = $1 LIMIT $2)`,
    5_000,
  ),
  createTableDeletionStep('recipients', 5_000),
  createSqlDeletionStep('DELETE FROM realm_permissions WHERE $2 > 0 AND realm_id = $1', 1),
  createTableDeletionStep('channels', 500),
  createTableDeletionStep('channel_folders', 500),
  createTableDeletionStep('users', 500),
  // Must precede the groups: a group cannot be deleted while it is a subgroup, and the deletion order of groups varies.
  createSqlDeletionStep(
    'DELETE FROM user_group_subgroups WHERE $2 > 0 AND group_id IN (SELECT id FROM user_groups WHERE realm_id = $1)',
    1,
  ),
  // Groups refer to each other, so that all are deleted by one statement.
  createSqlDeletionStep('DELETE FROM user_groups WHERE $2 > 0 AND realm_id = $1', 1),
  createSqlDeletionStep('DELETE FROM realms WHERE $2 > 0 AND id = $1', 1),
];
