import type { Readable } from 'node:stream';

/** The bytes from `start` to `end`, both counted from 0 and both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Storage of files: one interface for all kinds. A key is a path of our own making, such as
 * `uploads/1/ab/Xy…/notes.txt`. What was written under a key never changes, so that copies of it may be kept for ever.
 */
export interface FileStorage {
  /**
   * Stores what the source gives, piece by piece; memory does not grow with the file. Nothing can be read under the key
   * before the whole of it is stored.
   *
   * @throws whatever the source throws; nothing is stored then
   */
  write(key: string, source: AsyncIterable<Buffer>, contentType: string): Promise<void>;
  /** The file, or a part of it; null when there is none. */
  open(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Takes a file away, and what a process that died left of one; one that is not there is no error. */
  remove(key: string): Promise<void>;
}

/**
 * Reads a small file completely.
 * @returns null if it does not exist
 */
export async function readWhole(storage: FileStorage, key: string): Promise<Buffer | null> {
  const file = await storage.open(key);
  if (file === null) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Yields a file that is in memory, as a source. */
export async function* once(file: Buffer): AsyncGenerator<Buffer> {
  yield file;
}

/** Returns the storage key of a public picture. @param path What follows /user_avatars/ in its address. */
export function publicPictureKey(path: string): string {
  return `pictures/${path}`;
}
