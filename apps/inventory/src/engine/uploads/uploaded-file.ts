/** A file that was sent in a multipart/form-data body. */
export class UploadedFile {
  constructor(
    /** File name sent by the client. */
    readonly name: string,
    readonly content: Buffer,
  ) {}
}

/**
 * Stores the uploaded files of objects. A file is suspect while no committed object is known to refer to it. This is
 * the case from the file's creation, or from the removal of a reference to it, until the transaction commits. After a
 * failure, a periodic cleanup looks up in the database which suspect files are used.
 */
export interface MediaStore {
  /**
   * Stores a file at the given path, or at a similar path if a file exists there. Marks the file as suspect. Returns
   * the path.
   */
  add(path: string, content: Buffer): Promise<string>;
  /** Marks stored files as suspect: they may be unused after the current transaction. */
  markAsSuspect(paths: readonly string[]): Promise<void>;
  /** Marks files as used. Only logs failures: the periodic cleanup corrects them. */
  markAsUsed(paths: readonly string[]): Promise<void>;
  /** Removes suspect files. Only logs failures: the periodic cleanup removes the remaining files. */
  removeSuspects(paths: readonly string[]): Promise<void>;
}

/** Functions of a field whose value is an uploaded file. */
export interface UploadFieldFunctions {
  /** Returns the path at which to store a new file of an object. */
  path(row: Readonly<Record<string, unknown>>, file: UploadedFile): string;
  /** Returns the values of columns that describe the file, such as its size. */
  columns(file: UploadedFile): Readonly<Record<string, unknown>>;
}
