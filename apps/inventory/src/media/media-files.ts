import type { MediaStore } from '../engine/uploads/uploaded-file.js';

/** Storage of uploaded pictures: a {@link MediaStore} with the functions for reading files and for their cleanup. */
export interface MediaFiles extends MediaStore {
  /** Returns the content of a stored file, or null if the file does not exist. */
  read(path: string): Promise<Buffer | null>;
  /**
   * Returns the paths of files that became suspect (possibly unused) before a time, given in milliseconds since the
   * epoch.
   */
  listSuspectFilesBefore(before: number): Promise<string[]>;
  /**
   * Removes a suspect file to which no object refers, and the mark of the file. If another file has replaced the
   * suspect file at its path, the other file remains.
   */
  removeSuspectFile(path: string): Promise<void>;
  /** Removes incomplete files that processes left when they ended while storing a file. */
  removeIncompleteFilesBefore(before: number): Promise<void>;
  /** Closes the connections to the storage. */
  close(): Promise<void>;
}

/** Logger for removals of files that fail. */
export interface MediaLogger {
  warn(fields: object, message: string): void;
}

/** Applies a function to each file. Logs failures and does not throw, because the periodic cleanup tries again. */
export async function changeSuspectFiles(
  paths: readonly string[],
  logger: MediaLogger,
  change: (path: string) => Promise<void>,
): Promise<void> {
  const outcomes = await Promise.allSettled(paths.map(change));
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (failed.length > 0)
    logger.warn({ err: failed[0], count: failed.length }, 'files could not be removed, the media sweep will retry');
}
