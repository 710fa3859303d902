import type { Readable } from 'node:stream';
import { DataStore, ERRORS, Metadata, Upload } from '@tus/server';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ResumableUploads } from './resumable-uploads.action.js';

/**
 * Size of a stored part of an upload in bytes. If a process is killed, at most the bytes of one incomplete part are
 * lost.
 */
const uploadPartBytes = 1024 * 1024;

/**
 * Upload store that the tus library uses for the requests of one user. The store provides access only to uploads of
 * that user.
 */
export class TusUploadStore extends DataStore {
  constructor(
    private readonly uploads: ResumableUploads,
    private readonly actor: ChatActor,
  ) {
    super();
    this.extensions = ['creation', 'creation-with-upload', 'expiration', 'termination'];
  }

  /**
   * Creates a resumable upload.
   *
   * @throws ApplicationError
   */
  override async create(upload: Upload): Promise<Upload> {
    const { filename, filetype } = upload.metadata ?? {};
    await this.uploads.create(this.actor, upload.id, {
      size: upload.size ?? 0,
      metadata: Metadata.stringify(upload.metadata ?? {}),
      fileName: filename ?? '',
      contentType: filetype ?? '',
    });
    upload.creation_date = new Date().toISOString();
    return upload;
  }

  /**
   * Returns a resumable upload of the user.
   *
   * @throws FILE_NOT_FOUND
   */
  override async getUpload(id: string): Promise<Upload> {
    const found = await this.uploads.find(this.actor, id);
    if (found === null) throw ERRORS.FILE_NOT_FOUND;
    return new Upload({
      id,
      size: found.size,
      offset: found.received,
      // The parser of the protocol refuses an empty string.
      ...(found.metadata !== '' && { metadata: Metadata.parse(found.metadata) }),
      creation_date: found.createdAt.toISOString(),
    });
  }

  /**
   * Stores the bytes of a request in parts. If the request ends early, the bytes that arrived are stored.
   *
   * @returns the new offset
   * @throws INVALID_OFFSET if another request stores bytes at the same position
   */
  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    let at = offset;
    for await (const part of splitBytesIntoUploadParts(stream)) {
      if (!(await this.uploads.addUploadPart(id, at, part))) throw ERRORS.INVALID_OFFSET;
      at += part.length;
    }
    return at;
  }

  /**
   * Removes an unfinished upload of the user.
   *
   * @throws FILE_NOT_FOUND
   */
  override async remove(id: string): Promise<void> {
    if (!(await this.uploads.remove(this.actor, id))) throw ERRORS.FILE_NOT_FOUND;
  }

  /** Returns the lifetime of a resumable upload in milliseconds. */
  override getExpiration(): number {
    return this.uploads.lifetimeMs;
  }
}

/**
 * Yields the bytes of an uploaded stream in parts of equal size. The last part may be smaller. If the stream fails, the
 * error is thrown after the last part.
 */
async function* splitBytesIntoUploadParts(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let gathered: Buffer[] = [];
  let size = 0;
  let failure: { readonly error: unknown } | undefined;
  const chunks = source[Symbol.asyncIterator]();
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => {
      failure = { error };
      return { done: true, value: undefined } as const;
    });
    if (next.done === true) break;
    gathered.push(next.value);
    size += next.value.length;
    if (size < uploadPartBytes) continue;
    const bytes = Buffer.concat(gathered);
    yield bytes.subarray(0, uploadPartBytes);
    gathered = [bytes.subarray(uploadPartBytes)];
    size = bytes.length - uploadPartBytes;
  }
  if (size > 0) yield Buffer.concat(gathered);
  if (failure !== undefined) throw failure.error;
}
