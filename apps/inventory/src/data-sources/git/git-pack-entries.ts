import { createInflate } from 'node:zlib';
import { SyncError } from '../data-source-sync-error.js';
import { readVariableLengthNumber } from './apply-git-delta.js';

export type GitObjectType = 'commit' | 'tree' | 'blob' | 'tag';

const gitObjectTypeByNumber: Readonly<Record<number, GitObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };

/** Header of an entry in a git pack: an object, or a delta to another object. */
export interface GitPackEntryHeader {
  /**
   * Type of the git object; `delta` if the entry is a delta. The object of a delta has the type of the delta's base
   * object.
   */
  readonly kind: GitObjectType | 'delta';
  /** Uncompressed size of the entry's content in bytes. */
  readonly size: number;
  /** Byte offset of the entry's compressed content in the pack. */
  readonly dataAt: number;
  /**
   * Reference to the base of a delta: the offset of the base's entry in the pack, or the id of the base object. Null if
   * the entry is not a delta.
   */
  readonly base: number | string | null;
}

/** Returns the number of entries in a git pack. The first entry is at offset 12. */
export function readGitPackEntryCount(pack: Buffer): number {
  const isPack = pack.length > 12 && pack.toString('latin1', 0, 4) === 'PACK' && [2, 3].includes(pack.readUInt32BE(4));
  if (!isPack) throw createMalformedPackError();
  return pack.readUInt32BE(8);
}

/**
 * Parses the header of the pack entry at an offset.
 *
 * @throws SyncError if there is no valid entry
 */
export function parseGitPackEntryHeader(pack: Buffer, at: number): GitPackEntryHeader {
  const first = pack[at];
  if (first === undefined) throw createMalformedPackError();
  // The first byte has the kind and four bits of the size, the others have seven bits each.
  const [rest, end] = first < 0x80 ? [0, at + 1] : readVariableLengthNumber(pack, at + 1);
  const size = (first % 16) + rest * 16;
  const kind = Math.floor(first / 16) % 8;
  if (kind === 6) {
    const [distance, dataAt] = parseDeltaBaseDistance(pack, end);
    return { kind: 'delta', size, dataAt, base: at - distance };
  }
  if (kind === 7) return { kind: 'delta', size, dataAt: end + 20, base: pack.toString('hex', end, end + 20) };
  const known = gitObjectTypeByNumber[kind];
  if (known === undefined) throw createMalformedPackError();
  return { kind: known, size, dataAt: end, base: null };
}

/**
 * Parses the distance in bytes between a delta and the entry of the delta's base. The number has seven bits per byte,
 * highest bits first, with an offset of one per byte (https://git-scm.com/docs/pack-format).
 */
function parseDeltaBaseDistance(pack: Buffer, start: number): [distance: number, at: number] {
  let distance = -1;
  for (let at = start; at < start + 7; at += 1) {
    const byte = pack[at] ?? 0;
    distance = (distance + 1) * 128 + (byte % 128);
    if (byte < 128) return [distance, at + 1];
  }
  throw createMalformedPackError();
}

/**
 * Decompresses the content of a pack entry chunk by chunk, outside the event loop. Stops when the content exceeds the
 * size in the entry's header.
 *
 * @returns the offset in the pack after the compressed content
 * @throws SyncError if the content cannot be decompressed or has another size
 */
export async function decompressGitPackEntry(
  pack: Buffer,
  { dataAt, size }: Pick<GitPackEntryHeader, 'dataAt' | 'size'>,
  use: (piece: Buffer, at: number) => void,
): Promise<number> {
  const inflate = createInflate({ chunkSize: Math.min(Math.max(size, 256), 65_536) });
  inflate.end(pack.subarray(dataAt));
  let length = 0;
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      if (length + piece.length > size) throw createMalformedPackError();
      use(piece, length);
      length += piece.length;
    }
  } catch (error) {
    if (error instanceof Error && 'errno' in error) throw createMalformedPackError(error);
    throw error;
  }
  if (length !== size) throw createMalformedPackError();
  return dataAt + inflate.bytesWritten;
}

/** Returns the error for a malformed git pack. */
export function createMalformedPackError(cause?: unknown): SyncError {
  return new SyncError('The objects of the repository are malformed.', { cause });
}
