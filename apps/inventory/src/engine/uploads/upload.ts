/** A file as a client sent it, in a body of type multipart/form-data. */
export class Upload {
  constructor(
    /** As the client calls it. */
    readonly name: string,
    readonly content: Buffer,
  ) {}
}

/**
 * The files of objects. A file is a suspect until it is known whether an object refers to it: from before it has its
 * name, and again before a transaction that no longer refers to it commits. Whatever fails in between, the sweep
 * decides about suspects by what the database says.
 */
export interface MediaStore {
  /** Stores a file at this path or, where there is one already, at a similar one. Returns its path; it is a suspect. */
  add(path: string, content: Buffer): Promise<string>;
  /** Makes suspects of stored files. */
  suspect(paths: readonly string[]): Promise<void>;
  /** Keeps files: they are no suspects any more. Failures are logged and left to the sweep. */
  keep(paths: readonly string[]): Promise<void>;
  /** Removes suspects. Failures are logged and left to the sweep. */
  remove(paths: readonly string[]): Promise<void>;
}

/** Set by fields that hold a file. */
export interface UploadField {
  /** Returns the path at which to store a new file of an object. */
  path(row: Readonly<Record<string, unknown>>, file: Upload): string;
  /** Further columns that tell of the file. */
  columns(file: Upload): Readonly<Record<string, unknown>>;
}
