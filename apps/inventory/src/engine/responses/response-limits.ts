import type { FileHandle } from 'node:fs/promises';

/** Limits on the size of responses, in bytes, and on their temporary files. */
export interface ResponseLimits {
  readonly largest: number;
  /** Size in bytes above which a response is written to a temporary file. */
  readonly inMemory: number;
  /** Maximum number of open temporary files. */
  readonly files: number;
  /** Maximum time in milliseconds that a client may take to read a response from a temporary file. */
  readonly sendMs: number;
}

/** Access to temporary files for building one response. */
export interface ResponseFileAccess {
  readonly limits: ResponseLimits;
  /** Opens a temporary file without a name. */
  openFile(): Promise<FileHandle>;
  /** Reserves disk space for bytes before they are written to a temporary file. */
  reserveBytes(bytes: number): void;
  /** Releases a closed temporary file and the disk space reserved for it. */
  releaseFile(bytes: number): void;
  /** Runs an operation on a temporary file and converts its errors. */
  runFileOperation<T>(work: () => Promise<T>): Promise<T>;
}
