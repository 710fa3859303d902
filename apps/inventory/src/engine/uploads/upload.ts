/** A file as a client sent it, in a body of type multipart/form-data. */
export class Upload {
  constructor(
    /** As the client calls it. */
    readonly name: string,
    readonly content: Buffer,
  ) {}
}

/** Where files of objects are kept. */
export interface MediaStore {
  /** Keeps a file at this path or, where there is one already, at one like it; answers where. */
  add(path: string, content: Buffer): Promise<string>;
  /** Removes files; those that are not there are none of its business. */
  remove(paths: readonly string[]): Promise<void>;
}

/** Set by fields that hold a file. */
export interface UploadField {
  /** Where a new file of an object is to be kept. */
  path(row: Readonly<Record<string, unknown>>, file: Upload): string;
  /** Further columns that tell of the file. */
  columns(file: Upload): Readonly<Record<string, unknown>>;
}
