import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import {
  addAttachment,
  attachmentAddEvent,
  addToRealmUploadSize,
  getUploadStorageKey,
} from '../../core/attachments/index.js';
import { lockUserRow } from '../../core/database-locks.js';
import { getRealmRow, serverLimitSnapshotFields } from '../../core/realms/index.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import {
  yieldBufferAsChunk,
  StoredFileDeletionSchedule,
  type FileStorage,
  readStoredFile,
} from '../../infra/storage/index.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN, FILE_STORAGE_TOKEN, IMAGE_PROCESSOR_TOKEN } from '../../tokens.js';
import { getFileContentType, generateUploadedFilePath, sanitizeUploadedFileName } from '../uploads/index.js';
import {
  addUploadPart,
  addUpload,
  findUpload,
  finishUpload,
  hasMaximumUploadParts,
  listUploadPartKeys,
  removeUpload,
  type ResumableUpload,
} from './resumable-uploads.repository.js';
import type { ResumableUploadConfiguration } from './settings.js';

const bytesPerMebibyte = 1024 * 1024;
/**
 * Number of stored parts that an upload may have in addition to one part per mebibyte. Requests that end early produce
 * smaller parts.
 */
const maxAdditionalParts = 1000;

/**
 * Error thrown when a part of an upload is missing while the parts are joined. Another process may have joined or
 * removed the upload.
 */
class MissingPartError extends Error {}

/** Properties of a resumable upload that a client wants to create. */
export interface RequestedUpload {
  /** Size of the complete uploaded file in bytes. */
  readonly size: number;
  readonly metadata: string;
  readonly fileName: string;
  readonly contentType: string;
}

/**
 * Stores files that clients upload in several requests. Each part of the file has a database row, so that any process
 * can continue the upload after a lost connection or crash. When all bytes have arrived, the parts are joined to one
 * file, and an attachment is created.
 */
@Injectable()
export class ResumableUploads {
  /** Uploads whose parts this process is joining, by upload id. The promise resolves to the path of the file. */
  readonly #joins = new Map<string, Promise<string | null>>();

  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(FILE_STORAGE_TOKEN) private readonly storage: FileStorage,
    @Inject(IMAGE_PROCESSOR_TOKEN) private readonly pictures: ImageProcessor,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: ResumableUploadConfiguration,
    private readonly files: StoredFileDeletionSchedule,
    private readonly events: ChatEventWriter,
  ) {}

  /** Lifetime of a resumable upload in milliseconds. */
  get lifetimeMs(): number {
    return this.config.RESUMABLE_UPLOAD_HOURS * 3_600_000;
  }

  /**
   * Creates a resumable upload. The size of the complete file counts toward the realm's upload quota immediately.
   *
   * @throws ApplicationError BAD_REQUEST, REALM_UPLOAD_QUOTA
   */
  async create(actor: ChatActor, id: string, requested: RequestedUpload): Promise<void> {
    const { size, metadata } = requested;
    if (size === 0) throw createBadRequestError('You must specify a file to upload');
    if (size > serverLimitSnapshotFields.max_file_upload_size_mib * bytesPerMebibyte) throw createUploadTooLargeError();
    const fileName = sanitizeUploadedFileName(requested.fileName);
    const upload = { id, ownerId: actor.id, metadata, size, fileName };
    const contentType = getFileContentType(requested.contentType, fileName);
    const { settings } = await getRealmRow(this.database, actor.realmId);
    const quota = settings.upload_quota_mib === null ? Infinity : settings.upload_quota_mib * bytesPerMebibyte;
    await this.database.inTransaction(async (tx) => {
      await lockUserRow(tx, actor.id);
      const limit = this.config.RESUMABLE_UPLOADS_PER_USER;
      if (!(await addUpload(tx, { ...upload, contentType }, limit))) {
        throw createBadRequestError(`You may have at most ${limit} unfinished uploads`);
      }
      if ((await addToRealmUploadSize(tx, actor.realmId, size)) > quota) throw chatErrors.create('REALM_UPLOAD_QUOTA');
    });
  }

  /** Returns a resumable upload of the actor, or null if the upload does not exist or has expired. */
  async find(actor: ChatActor, id: string): Promise<ResumableUpload | null> {
    // PostgreSQL rejects a text with a null character.
    if (id.includes('\0')) return null;
    return findUpload(this.database, actor.id, id, this.config.RESUMABLE_UPLOAD_HOURS);
  }

  /**
   * Stores a part of an upload. Returns false if another request has already stored bytes at this position, or has
   * removed the upload.
   *
   * @throws ApplicationError BAD_REQUEST for an upload of too many small parts
   */
  async addUploadPart(uploadId: string, start: number, bytes: Buffer): Promise<boolean> {
    if (
      await hasMaximumUploadParts(this.database, uploadId, { partBytes: bytesPerMebibyte, small: maxAdditionalParts })
    ) {
      throw createBadRequestError('The upload consists of too many small parts');
    }
    const key = `resumable/${uploadId}/${start}-${randomBytes(6).toString('hex')}`;
    await this.files.add(key, yieldBufferAsChunk(bytes), 'application/octet-stream');
    const isAdded = await this.database.inTransaction(async (tx) => {
      if (!(await addUploadPart(tx, { uploadId, start, length: bytes.length, key }))) return false;
      await this.files.cancelFileDeletion(tx, [key]);
      return true;
    });
    if (!isAdded) await this.files.deleteNow([key]);
    return isAdded;
  }

  /**
   * Joins the parts of a complete upload to an attachment. Concurrent requests in this process share one join.
   *
   * @returns the path of the joined file below /user_uploads/; null if the upload was removed during the call
   */
  async joinPartsToAttachment(actor: ChatActor, upload: ResumableUpload): Promise<string | null> {
    if (upload.pathId !== null) return upload.pathId;
    let running = this.#joins.get(upload.id);
    if (running === undefined) {
      running = this.#tryFinish(actor, upload).finally(() => this.#joins.delete(upload.id));
      this.#joins.set(upload.id, running);
    }
    return running;
  }

  async #tryFinish(actor: ChatActor, upload: ResumableUpload): Promise<string | null> {
    const joined = await this.#joinParts(actor, upload).catch((error: unknown) => {
      if (error instanceof MissingPartError) return error;
      throw error;
    });
    if (typeof joined === 'string') return joined;
    const current = await this.find(actor, upload.id);
    if (current?.pathId === null && joined !== null) throw joined;
    return current?.pathId ?? null;
  }

  /**
   * Joins the parts of an upload to one file, and creates an attachment. Returns null if another process has already
   * joined or removed the upload.
   */
  async #joinParts(actor: ChatActor, upload: ResumableUpload): Promise<string | null> {
    const pathId = generateUploadedFilePath(actor.realmId, upload.fileName);
    const key = getUploadStorageKey(pathId);
    const content = this.#readParts(await listUploadPartKeys(this.database, upload.id));
    await this.files.add(key, content, upload.contentType);
    const image = upload.contentType.startsWith('image/')
      ? await this.pictures.readPictureInfo(() => readStoredFile(this.storage, key))
      : null;
    const keys = await this.database.inTransaction(async (tx) => {
      const parts = await finishUpload(tx, upload.id, pathId);
      if (parts === null) return null;
      await this.files.cancelFileDeletion(tx, [key]);
      await this.files.scheduleDeletion(tx, parts);
      const { fileName, size, contentType } = upload;
      const attachment = { realmId: actor.realmId, ownerId: actor.id, pathId, fileName, size, contentType, image };
      const added = await addAttachment(tx, attachment);
      const payload = { attachment: added, upload_space_used: await addToRealmUploadSize(tx, actor.realmId, 0) };
      this.events.write(tx, actor.realmId, attachmentAddEvent, { audience: { users: [actor.id] }, payload });
      return parts;
    });
    await this.files.deleteNow(keys ?? [key]);
    return keys === null ? null : pathId;
  }

  /**
   * Removes an unfinished upload of the actor, and subtracts the upload's size from the realm's used quota. Returns
   * false if the upload does not exist.
   */
  async remove(actor: ChatActor, id: string): Promise<boolean> {
    const keys = await this.database.inTransaction(async (tx) => {
      const removed = await removeUpload(tx, actor.id, id);
      if (removed === null) return null;
      await this.files.scheduleDeletion(tx, removed.keys);
      await addToRealmUploadSize(tx, actor.realmId, -removed.size);
      return removed.keys;
    });
    if (keys !== null) await this.files.deleteNow(keys);
    return keys !== null;
  }

  async *#readParts(keys: readonly string[]): AsyncGenerator<Buffer> {
    if (keys.length === 0) throw new MissingPartError('The upload has no parts');
    for (const key of keys) {
      const part = await this.storage.open(key);
      if (part === null) throw new MissingPartError(`The part ${key} no longer exists`);
      for await (const chunk of part) yield Buffer.from(chunk);
    }
  }
}

/** Creates the error for a file that exceeds the maximum size (docs/contract/chat.md 1.4). */
export function createUploadTooLargeError(): Error {
  return createBadRequestError(
    `Uploaded file is larger than the allowed limit of ${serverLimitSnapshotFields.max_file_upload_size_mib} MiB`,
  );
}
