/** A file that was sent in a multipart/form-data body. */
export class UploadedFile {
  constructor(
    /** File name sent by the client. */
    readonly name: string,
    readonly content: Buffer,
  ) {}
}

/**
 * Stores the uploaded files of objects. A file is suspect while no committed object is known to refer to it. The file
 * becomes suspect when it is created, or when a reference to the file is removed. It stays suspect until the
 * transaction commits. After a failure, a periodic cleanup looks up in the database which suspect files are used.
 */
export interface MediaStore {
  /**
   * Stores a file at the given path, or at a similar path if a file exists there. Marks the file as suspect, which
   * means possibly unused. Returns the path of the file.
   */
  add(path: string, content: Buffer): Promise<string>;
  /** Marks stored files as suspect, because they may be unused after the current transaction. */
  markAsSuspect(paths: readonly string[]): Promise<void>;
  /** Marks stored files as used. A failure is only logged, because a periodic cleanup corrects the marks later. */
  markAsUsed(paths: readonly string[]): Promise<void>;
  /**
   * Removes the files that are suspect, which means possibly unused. A failure is only logged, because a periodic
   * cleanup removes the remaining files later.
   */
  removeSuspects(paths: readonly string[]): Promise<void>;
}

/** Functions of a field whose value is an uploaded file. */
export interface UploadFieldFunctions {
  /** Returns the path at which to store a new file of an object. */
  path(row: Readonly<Record<string, unknown>>, file: UploadedFile): string;
  /** Returns the values of the columns that describe an uploaded file, such as the file's size. */
  columns(file: UploadedFile): Readonly<Record<string, unknown>>;
}
