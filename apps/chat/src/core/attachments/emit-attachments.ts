import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { attachmentUpdateEvent } from './attachments.events.js';
import { getRealmUploadSizeBytes } from './attachments.repository.js';
import { attachmentJsonSql, type WireAttachment } from './wire-attachment.js';

/** An uploaded file after a change, with the user id of its owner. */
export interface OwnedAttachment {
  readonly ownerId: number;
  readonly attachment: WireAttachment;
}

/**
 * Sends events to the owners of uploaded files about changed links from messages to the files. Executes two SQL
 * statements for any number of files.
 */
export async function emitChangedAttachments(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  ids: readonly number[],
): Promise<OwnedAttachment[]> {
  if (ids.length === 0) return [];
  const { rows } = await tx.query<OwnedAttachment>(
    `SELECT a.owner_id AS "ownerId", ${attachmentJsonSql} AS attachment FROM attachments a
     WHERE a.id = ANY($1) ORDER BY a.id`,
    [ids],
  );
  const used = await getRealmUploadSizeBytes(tx, realmId);
  for (const { ownerId, attachment } of rows) {
    events.write(tx, realmId, attachmentUpdateEvent, {
      audience: { users: [ownerId] },
      payload: { attachment, upload_space_used: used },
    });
  }
  return rows;
}
