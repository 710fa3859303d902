import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { attachmentRemoveEvent } from './attachments.events.js';
import {
  addToRealmUploadSize,
  getRealmUploadSizeBytes,
  listAttachments,
  removeAttachment,
} from './attachments.repository.js';
import { listAttachmentStorageKeys } from './upload-storage-keys.js';
import type { WireAttachment } from './wire-attachment.js';

/** Lists and deletes the files that users uploaded (docs/contract/chat.md 2.C). */
@Injectable()
export class AttachmentsService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
    private readonly files: StoredFileDeletionSchedule,
  ) {}

  /** Lists the uploaded files of the actor, ordered by creation time, newest first. */
  async list(actor: ChatActor): Promise<{ attachments: WireAttachment[]; upload_space_used: number }> {
    const attachments = await listAttachments(this.database, actor.id);
    return { attachments, upload_space_used: await getRealmUploadSizeBytes(this.database, actor.realmId) };
  }

  /**
   * Deletes an uploaded file of the actor. Messages retain their links to the file.
   *
   * @throws ApplicationError BAD_REQUEST `Invalid attachment`
   */
  async remove(actor: ChatActor, id: number): Promise<void> {
    const keys = await this.database.inTransaction(async (tx) => {
      const removed = await removeAttachment(tx, actor.id, id);
      if (removed === null) throw createBadRequestError('Invalid attachment');
      const removedKeys = listAttachmentStorageKeys(removed.pathId);
      await this.files.scheduleDeletion(tx, removedKeys);
      const used = await addToRealmUploadSize(tx, actor.realmId, -removed.size);
      this.events.write(tx, actor.realmId, attachmentRemoveEvent, {
        audience: { users: [actor.id] },
        payload: { attachment: { id }, upload_space_used: used },
      });
      return removedKeys;
    });
    await this.files.deleteNow(keys);
  }
}
