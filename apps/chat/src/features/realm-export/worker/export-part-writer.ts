import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { StoredFileDeletionSchedule } from '../../../infra/storage/index.js';
import { ExportStorageError } from './export-attempt-failures.js';

/** Content of a part of an export archive, in chunks of any size. */
export type ExportPartContent = Iterable<string | Buffer> | AsyncIterable<string | Buffer>;

/**
 * A part of an export archive that was written to the file storage. A later transaction inserts the database row of the
 * part.
 */
export interface WrittenExportPart {
  readonly entry: number;
  /** Path of the archive file to which the part belongs; null if the part consists of complete tar entries. */
  readonly name: string | null;
  /** Uncompressed size of the archive part in bytes. */
  readonly size: number;
  readonly key: string;
  /** Ids of the messages in the part if the part is a message file, in ascending order. */
  readonly messageIds?: readonly number[];
}

/** Maximum number of characters that are compressed as one chunk. */
const exportPartChunkLength = 256 * 1024;

/**
 * Stores parts of an export archive as members of a gzip file. A cleanup job of the file storage removes parts to which
 * no committed database row refers.
 */
export class ExportPartWriter {
  constructor(
    private readonly files: Pick<StoredFileDeletionSchedule, 'add'>,
    private readonly folder: string,
  ) {}

  /**
   * Stores a part while its content is produced. After an error the part is not stored.
   *
   * @throws all errors of the content; ExportStorageError if the file cannot be stored
   */
  async write(entry: number, name: string | null, content: ExportPartContent): Promise<WrittenExportPart> {
    const key = `${this.folder}/${randomUUID()}.gz`;
    let size = 0;
    const faults: unknown[] = [];
    async function* count(): AsyncGenerator<Buffer> {
      try {
        for await (const piece of content) {
          for (const chunk of divideIntoChunks(piece)) {
            size += chunk.length;
            yield chunk;
          }
        }
      } catch (error) {
        faults.push(error);
        throw error;
      }
    }
    const gzip = createGzip();
    const [produced, stored] = await Promise.allSettled([
      pipeline(Readable.from(count(), { objectMode: false }), gzip),
      this.files.add(key, gzip, 'application/gzip'),
    ]);
    // If one side fails, the other side fails with a different error. An error of the content is then the cause.
    if (faults.length > 0) throw faults[0];
    if (stored.status === 'rejected') throw new ExportStorageError(stored.reason);
    if (produced.status === 'rejected') throw produced.reason;
    return { entry, name, size, key };
  }
}

function* divideIntoChunks(piece: string | Buffer): Generator<Buffer> {
  if (typeof piece !== 'string') {
    yield piece;
    return;
  }
  for (let start = 0; start < piece.length;) {
    let end = Math.min(start + exportPartChunkLength, piece.length);
    // A pair of surrogates is one character.
    const last = piece.charCodeAt(end - 1);
    if (end < piece.length && last >= 0xd800 && last <= 0xdbff) end += 1;
    yield Buffer.from(piece.slice(start, end));
    start = end;
  }
}
