import { Inject, Injectable } from '@nestjs/common';
import type { SecretTextEncryptor } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import type { Readable } from 'node:stream';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createSpectatorActor } from '../../core/access/spectator-actor.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import type { ByteRange, FileStorage } from '../../infra/storage/index.js';
import { CLOCK_TOKEN, DATABASE_TOKEN, FILE_STORAGE_TOKEN, SECRET_BOX_TOKEN } from '../../tokens.js';
import { getUploadStorageKey } from '../../core/attachments/index.js';
import { findRealmThatAllowsSpectators } from '../../core/users/index.js';
import {
  findReadableFile,
  getFileById,
  type ReadableUploadedFile,
  isImageUploadedByActor,
} from './find-readable-file.js';
import { TemporaryFileLinks } from './temporary-file-links.js';

/** The user who requests an uploaded file, and the host name in the request. */
export interface FileRequester {
  /** The authenticated user who requests the file; null for a request without credentials. */
  readonly actor: ChatActor | null;
  readonly host: string;
}

/** Query class that returns uploaded files to users who may read the files (docs/contract/chat.md 2.C and 5.2). */
@Injectable()
export class ReadUploadedFiles {
  readonly #links: TemporaryFileLinks;

  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(FILE_STORAGE_TOKEN) private readonly storage: FileStorage,
    @Inject(SECRET_BOX_TOKEN) secrets: SecretTextEncryptor,
    @Inject(CLOCK_TOKEN) clock: Clock,
  ) {
    this.#links = new TemporaryFileLinks(secrets, clock);
  }

  /**
   * Returns a file that the requester may read.
   * @throws ApplicationError NOT_FOUND for a missing or inaccessible file; UNAUTHORIZED without credentials, unless the
   * realm allows access without an account
   */
  async getReadableFile(requester: FileRequester, pathId: string): Promise<ReadableUploadedFile> {
    const file = await findReadableFile(this.database, await this.#viewer(requester), pathId);
    if (file === null) throw createFileNotFoundError();
    return file;
  }

  /**
   * Returns a link to an uploaded file that works without credentials for a minute.
   *
   * @throws ApplicationError as {@link getReadableFile}
   */
  async createTemporaryLink(requester: FileRequester, pathId: string): Promise<{ url: string }> {
    const file = await this.getReadableFile(requester, pathId);
    const token = this.#links.createLinkToken(file.id);
    return { url: `/user_uploads/temporary/${token}/${encodeURIComponent(file.fileName)}` };
  }

  /**
   * Returns whether an image has a thumbnail, for the user who uploaded it.
   *
   * @throws ApplicationError BAD_REQUEST for other files
   */
  async getThumbnailStatus(actor: ChatActor, pathId: string): Promise<{ has_thumbnail: boolean }> {
    if (!(await isImageUploadedByActor(this.database, actor, pathId)))
      throw createBadRequestError('Invalid attachment');
    return { has_thumbnail: true };
  }

  /**
   * Returns the uploaded file to which a temporary link refers. The link needs no credentials.
   *
   * @throws ApplicationError NOT_FOUND
   */
  async getFileOfTemporaryLink(token: string): Promise<ReadableUploadedFile> {
    const id = this.#links.parseLinkToken(token);
    const file = id === null ? null : await getFileById(this.database, id);
    if (file === null) throw createFileNotFoundError();
    return file;
  }

  /**
   * Opens the content of an uploaded file, or a byte range of the content, for reading.
   *
   * @throws ApplicationError NOT_FOUND
   */
  async openFileContent(file: ReadableUploadedFile, range: ByteRange | undefined): Promise<Readable> {
    const content = await this.storage.open(getUploadStorageKey(file.pathId), range);
    if (content === null) throw createFileNotFoundError();
    return content;
  }

  async #viewer({ actor, host }: FileRequester): Promise<ChatActor> {
    if (actor !== null) return actor;
    const realm = await findRealmThatAllowsSpectators(this.database, host);
    if (realm === null) throw chatErrors.create('UNAUTHORIZED');
    return createSpectatorActor(realm);
  }
}

/** Creates the error for a file that does not exist or that the requester may not read. */
export function createFileNotFoundError(): Error {
  return chatErrors.create('NOT_FOUND', { message: 'File not found' });
}
