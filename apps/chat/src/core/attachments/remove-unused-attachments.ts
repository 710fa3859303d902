import type { Database, Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { attachmentRemoveEvent } from './attachments.events.js';
import { addToRealmUploadSize } from './attachments.repository.js';
import { createUploadFolderSql, listAttachmentStorageKeys } from './upload-storage-keys.js';
import { lockAttachments } from '../database-locks.js';

/** Objects and values that {@link removeUnusedAttachments} receives from its caller. */
export interface UnusedAttachmentDependencies {
  readonly database: Database;
  readonly events: ChatEventWriter;
  readonly files: StoredFileDeletionSchedule;
  /** Number of days after which the service removes an unused file. */
  readonly days: number;
}

const unusedAttachmentsBatchSize = 100;

/**
 * SQL condition that the uploaded file `a` is unused. No message links an unused file, and no draft, snippet or
 * scheduled message of its owner contains its folder.
 */
const isAttachmentUnusedSql = `NOT EXISTS (SELECT FROM attachment_messages am WHERE am.attachment_id = a.id)
  AND NOT EXISTS (SELECT FROM drafts d WHERE d.user_id = a.owner_id AND strpos(d.content, ${createUploadFolderSql('a')}) > 0)
  AND NOT EXISTS (SELECT FROM saved_snippets s WHERE s.user_id = a.owner_id AND strpos(s.content, ${createUploadFolderSql('a')}) > 0)
  AND NOT EXISTS (SELECT FROM scheduled_messages s WHERE s.user_id = a.owner_id AND strpos(s.content, ${createUploadFolderSql('a')}) > 0)`;

interface UnusedAttachment {
  readonly id: number;
  readonly realm_id: number;
  readonly owner_id: number;
}

/**
 * Removes old uploaded files that no message, draft, snippet or scheduled message uses. One transaction removes a batch
 * of files of one owner.
 */
export async function removeUnusedAttachments(tools: UnusedAttachmentDependencies, signal: AbortSignal): Promise<void> {
  let after = 0;
  while (!signal.aborted) {
    const found = await listUnusedAttachments(tools.database, tools.days, after);
    for (const ownerId of new Set(found.map((one) => one.owner_id))) {
      await removeUnusedAttachmentsOfOwner(
        tools,
        found.filter((one) => one.owner_id === ownerId),
      );
    }
    const last = found.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function listUnusedAttachments(database: Tx, days: number, after: number): Promise<UnusedAttachment[]> {
  const { rows } = await database.query<UnusedAttachment>(
    `SELECT a.id, a.realm_id, a.owner_id FROM attachments a
     WHERE a.id > $1 AND a.created_at < now() - make_interval(days => $2) AND ${isAttachmentUnusedSql} ORDER BY a.id LIMIT $3`,
    [after, days, unusedAttachmentsBatchSize],
  );
  return rows;
}

async function removeUnusedAttachmentsOfOwner(
  { database, events, files }: UnusedAttachmentDependencies,
  owned: readonly UnusedAttachment[],
): Promise<void> {
  const [first] = owned;
  if (first === undefined) return;
  const keys = await database.inTransaction(async (tx) => {
    const removed = await removeUnusedAttachmentRows(tx, owned);
    const removedKeys = removed.flatMap(({ path_id: pathId }) => listAttachmentStorageKeys(pathId));
    await files.scheduleDeletion(tx, removedKeys);
    const bytes = removed.reduce((sum, { size }) => sum + size, 0);
    const used = await addToRealmUploadSize(tx, first.realm_id, -bytes);
    for (const { id } of removed) {
      events.write(tx, first.realm_id, attachmentRemoveEvent, {
        audience: { users: [first.owner_id] },
        payload: { attachment: { id }, upload_space_used: used },
      });
    }
    return removedKeys;
  });
  await files.deleteNow(keys);
}

/**
 * Deletes the rows of the given files that are still unused. The row locks prevent new links from messages to the
 * files. The deletion follows in a second SQL statement, which sees all links that existed before the locks.
 */
async function removeUnusedAttachmentRows(
  tx: Tx,
  owned: readonly UnusedAttachment[],
): Promise<{ id: number; path_id: string; size: number }[]> {
  const ids = owned.map(({ id }) => id);
  await lockAttachments(tx, ids);
  const { rows } = await tx.query<{ id: number; path_id: string; size: number }>(
    `DELETE FROM attachments a WHERE a.id = ANY($1::int[]) AND ${isAttachmentUnusedSql} RETURNING a.id, a.path_id, a.size`,
    [ids],
  );
  return rows;
}
