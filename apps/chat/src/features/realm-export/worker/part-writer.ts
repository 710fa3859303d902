import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { FileLedger } from '../../../infra/storage/index.js';

/** Content of a part, in pieces of any size. */
export type PartContent = Iterable<string | Buffer> | AsyncIterable<string | Buffer>;

/** A stored part of an archive. A later transaction inserts its row. */
export interface WrittenPart {
  readonly entry: number;
  /** Path of the file whose content the part continues; null for complete tar entries. */
  readonly name: string | null;
  /** Size of the content in bytes, not compressed. */
  readonly size: number;
  readonly key: string;
  /** Ids of the messages in a file of messages, ascending. */
  readonly messageIds?: readonly number[];
}

/** Maximum number of characters that are compressed as one chunk. */
const chunkLength = 256 * 1024;

/**
 * Stores parts of an archive as members of a gzip file. A part that no transaction refers to is removed by the sweep of
 * the storage.
 */
export class PartWriter {
  constructor(
    private readonly files: Pick<FileLedger, 'add'>,
    private readonly folder: string,
  ) {}

  /** Stores a part while its content is produced. @throws all errors of the content; nothing is stored then */
  async write(entry: number, name: string | null, content: PartContent): Promise<WrittenPart> {
    const key = `${this.folder}/${randomUUID()}.gz`;
    let size = 0;
    async function* count(): AsyncGenerator<Buffer> {
      for await (const piece of content) {
        for (const chunk of chunksOf(piece)) {
          size += chunk.length;
          yield chunk;
        }
      }
    }
    const gzip = createGzip();
    const outcomes = await Promise.allSettled([
      pipeline(Readable.from(count(), { objectMode: false }), gzip),
      this.files.add(key, gzip, 'application/gzip'),
    ]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return { entry, name, size, key };
  }
}

function* chunksOf(piece: string | Buffer): Generator<Buffer> {
  if (typeof piece !== 'string') {
    yield piece;
    return;
  }
  for (let start = 0; start < piece.length;) {
    let end = Math.min(start + chunkLength, piece.length);
    // A pair of surrogates is one character.
    const last = piece.charCodeAt(end - 1);
    if (end < piece.length && last >= 0xd800 && last <= 0xdbff) end += 1;
    yield Buffer.from(piece.slice(start, end));
    start = end;
  }
}
