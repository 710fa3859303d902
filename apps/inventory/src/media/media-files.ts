import type { MediaStore } from '../engine/uploads/uploaded-file.js';

/** Storage of uploaded pictures: a {@link MediaStore} with the functions for reading files and for their cleanup. */
export interface MediaFiles extends MediaStore {
  /**
   * Returns true if a file is suspect, which means possibly unused. A running or killed write has then not yet decided
   * about the file.
   */
  isSuspectFile(path: string): Promise<boolean>;
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

/** Maximum number of files that {@link changeFiles} changes at the same time. */
const maxConcurrentChanges = 16;

/**
 * Applies a function to each file, to at most 16 files at the same time. Stops after 16 errors, because the storage then
 * fails as a whole, and each further file could wait for a time limit. Returns the errors of the function.
 */
export async function changeFiles(
  paths: readonly string[],
  change: (path: string) => Promise<unknown>,
): Promise<unknown[]> {
  const errors: unknown[] = [];
  const remaining = paths.values();
  const changeRemaining = async (): Promise<void> => {
    for (const path of remaining) {
      await change(path).catch((error: unknown) => errors.push(error));
      if (errors.length >= maxConcurrentChanges) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrentChanges, paths.length) }, changeRemaining));
  return errors;
}

/** Applies a function to each suspect file. Logs failures and does not throw, because the periodic cleanup tries again. */
export async function changeSuspectFiles(
  paths: readonly string[],
  logger: MediaLogger,
  change: (path: string) => Promise<void>,
): Promise<void> {
  const errors = await changeFiles(paths, change);
  if (errors.length > 0)
    logger.warn({ err: errors[0], count: errors.length }, 'files could not be removed, the media sweep will retry');
}
