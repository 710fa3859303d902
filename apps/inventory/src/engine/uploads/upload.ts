/** A file as a client sent it, in a body of type multipart/form-data. */
export class Upload {
  constructor(
    /** File name sent by the client. */
    readonly name: string,
    readonly content: Buffer,
  ) {}
}

/**
 * Files of objects. A file is suspect until it is known whether an object refers to it: before it is named, and before
 * a transaction that removes its reference commits. After any failure the sweep decides about suspects by the database.
 */
export interface MediaStore {
  /** Stores a file at this path, or at a similar one if it is taken. Returns the path; the file is suspect. */
  add(path: string, content: Buffer): Promise<string>;
  /** Marks stored files as suspect. */
  suspect(paths: readonly string[]): Promise<void>;
  /** Marks files as used. Failures are logged and left to the sweep. */
  keep(paths: readonly string[]): Promise<void>;
  /** Removes suspects. Failures are logged and left to the sweep. */
  remove(paths: readonly string[]): Promise<void>;
}

/** Set by file fields. */
export interface UploadField {
  /** Returns the path at which to store a new file of an object. */
  path(row: Readonly<Record<string, unknown>>, file: Upload): string;
  /** Additional columns that describe the file. */
  columns(file: Upload): Readonly<Record<string, unknown>>;
}
