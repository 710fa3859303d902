import type { FileHandle } from 'node:fs/promises';

/** Limits on the size of responses in bytes, and limits on the temporary files of responses. */
export interface ResponseLimits {
  readonly largest: number;
  /** Response size, in bytes, above which the response is written to a temporary file. */
  readonly inMemory: number;
  /** Maximum number of temporary files of responses that may be open at the same time. */
  readonly files: number;
  /** Maximum time in milliseconds that a client may take to read a response from a temporary file. */
  readonly sendMs: number;
}

/** Functions for the temporary file in which one response is built. */
export interface ResponseFileAccess {
  readonly limits: ResponseLimits;
  /** Opens a temporary file without a name. */
  openFile(): Promise<FileHandle>;
  /** Reserves disk space for bytes before they are written to a temporary file. */
  reserveBytes(bytes: number): void;
  /** Releases a closed temporary file and the disk space reserved for it. */
  releaseFile(bytes: number): void;
  /** Runs an operation on a temporary file. Converts file system errors to errors of the API. */
  runFileOperation<T>(work: () => Promise<T>): Promise<T>;
}
