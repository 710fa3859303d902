import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { FileUploadForm, IncomingUploadedFile } from '../../infra/http/file-upload-form.js';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import { StoredFileDeletionSchedule, type FileStorage, readStoredFile } from '../../infra/storage/index.js';
import { DATABASE_TOKEN, FILE_STORAGE_TOKEN, IMAGE_PROCESSOR_TOKEN } from '../../tokens.js';
import {
  addAttachment,
  attachmentAddEvent,
  addToRealmUploadSize,
  getRealmUploadSizeBytes,
  type NewAttachment,
  getUploadStorageKey,
} from '../../core/attachments/index.js';
import { getRealmRow, serverLimitSnapshotFields } from '../../core/realms/index.js';
import { getFileContentType } from './upload-content-type.js';
import { generateUploadedFilePath, sanitizeUploadedFileName } from './upload-file-name.js';

const bytesPerMebibyte = 1024 * 1024;

/** Response to a file upload. The field `uri` is the older name of `url`. */
export interface UploadFileResult {
  readonly url: string;
  readonly uri: string;
  readonly filename: string;
}

/**
 * Handles the upload of a file (docs/contract/chat.md 2.C): streams the content to the file storage, and inserts a
 * database row when the file is complete.
 */
@Injectable()
export class UploadFile {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(FILE_STORAGE_TOKEN) private readonly storage: FileStorage,
    @Inject(IMAGE_PROCESSOR_TOKEN) private readonly pictures: ImageProcessor,
    private readonly files: StoredFileDeletionSchedule,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Stores the uploaded file of a form, and returns its URL.
   *
   * @throws ApplicationError BAD_REQUEST, REALM_UPLOAD_QUOTA
   */
  async run(actor: ChatActor, form: FileUploadForm): Promise<UploadFileResult> {
    const file = await form.readFirstFile(serverLimitSnapshotFields.max_file_upload_size_mib * bytesPerMebibyte);
    if (file === null) throw createMissingUploadError();
    return this.store(actor, file);
  }

  /**
   * Stores an uploaded file and returns its URL. The caller enforces the maximum file size.
   *
   * @throws ApplicationError BAD_REQUEST, REALM_UPLOAD_QUOTA
   */
  async store(actor: ChatActor, file: IncomingUploadedFile): Promise<UploadFileResult> {
    const quota = await this.#getQuotaBytes(actor.realmId);
    if ((await getRealmUploadSizeBytes(this.database, actor.realmId)) >= quota)
      throw chatErrors.create('REALM_UPLOAD_QUOTA');
    const fileName = sanitizeUploadedFileName(file.name);
    const pathId = generateUploadedFilePath(actor.realmId, fileName);
    try {
      await this.#storeAttachmentRow(actor, await this.#store(actor, file, { fileName, pathId }), quota);
    } catch (error) {
      await this.files.deleteNow([getUploadStorageKey(pathId)]);
      throw error;
    }
    const url = `/user_uploads/${pathId}`;
    return { url, uri: url, filename: fileName };
  }

  async #store(
    actor: ChatActor,
    file: IncomingUploadedFile,
    { fileName, pathId }: { readonly fileName: string; readonly pathId: string },
  ): Promise<NewAttachment> {
    const contentType = getFileContentType(file.contentType, fileName);
    const key = getUploadStorageKey(pathId);
    let size = 0;
    await this.files.add(
      key,
      reportChunkSizes(file.content, (bytes) => (size += bytes)),
      contentType,
    );
    const picture = contentType.startsWith('image/') ? await this.#picture(key) : null;
    return { realmId: actor.realmId, ownerId: actor.id, pathId, fileName, size, contentType, image: picture };
  }

  #picture(key: string) {
    return this.pictures.readPictureInfo(() => readStoredFile(this.storage, key));
  }

  #storeAttachmentRow(actor: ChatActor, attachment: NewAttachment, quota: number): Promise<void> {
    return this.database.inTransaction(async (tx) => {
      await this.files.cancelFileDeletion(tx, [getUploadStorageKey(attachment.pathId)]);
      const used = await addToRealmUploadSize(tx, actor.realmId, attachment.size);
      if (used > quota) throw chatErrors.create('REALM_UPLOAD_QUOTA');
      const added = await addAttachment(tx, attachment);
      this.events.write(tx, actor.realmId, attachmentAddEvent, {
        audience: { users: [actor.id] },
        payload: { attachment: added, upload_space_used: used },
      });
    });
  }

  /** Returns the upload quota of a realm in bytes; infinity if the realm has no quota. */
  async #getQuotaBytes(realmId: number): Promise<number> {
    const { settings } = await getRealmRow(this.database, realmId);
    return settings.upload_quota_mib === null ? Infinity : settings.upload_quota_mib * bytesPerMebibyte;
  }
}

/**
 * Yields the chunks of an uploaded file unchanged, and reports the size of each chunk in bytes to the callback `count`.
 *
 * @throws ApplicationError BAD_REQUEST when the file is empty
 */
async function* reportChunkSizes(
  content: AsyncIterable<Buffer>,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let isEmpty = true;
  for await (const chunk of content) {
    isEmpty &&= chunk.length === 0;
    count(chunk.length);
    yield chunk;
  }
  if (isEmpty) throw createMissingUploadError();
}

function createMissingUploadError(): Error {
  return createBadRequestError('You must specify a file to upload');
}
