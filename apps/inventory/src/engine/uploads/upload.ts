/** A file of a multipart/form-data body. */
export class Upload {
  constructor(
    /** File name sent by the client. */
    readonly name: string,
    readonly content: Buffer,
  ) {}
}

/**
 * Stores files of objects. A file is suspect while no committed object is known to refer to it: from its creation, or
 * from the removal of its reference, until the transaction commits. After a failure the sweep decides about suspect
 * files by the database.
 */
export interface MediaStore {
  /** Stores a file at this path, or at a similar one if it is taken. Returns the path. The file is suspect. */
  add(path: string, content: Buffer): Promise<string>;
  /** Marks stored files as suspect. */
  suspect(paths: readonly string[]): Promise<void>;
  /** Marks files as used. Logs failures, which the sweep resolves. */
  keep(paths: readonly string[]): Promise<void>;
  /** Removes suspect files. Logs failures, which the sweep resolves. */
  remove(paths: readonly string[]): Promise<void>;
}

/** Behaviour of a file field. */
export interface UploadField {
  /** Returns the path for a new file of an object. */
  path(row: Readonly<Record<string, unknown>>, file: Upload): string;
  /** Returns the values of further columns that describe the file. */
  columns(file: Upload): Readonly<Record<string, unknown>>;
}
