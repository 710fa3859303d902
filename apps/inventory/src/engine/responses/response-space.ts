import type { FileHandle } from 'node:fs/promises';

/** Limits on the size of responses, in bytes, and on their temporary files. */
export interface ResponseLimits {
  readonly largest: number;
  /** Responses above this size are written to a temporary file. */
  readonly inMemory: number;
  /** Maximum number of open temporary files. */
  readonly files: number;
  /** Maximum time in milliseconds that a client may take to read a response from a temporary file. */
  readonly sendMs: number;
}

/** Access to temporary files for one response. */
export interface ResponseSpace {
  readonly limits: ResponseLimits;
  /** Opens a file without a name. */
  open(): Promise<FileHandle>;
  /** Reserves space for bytes before they are written to a file. */
  reserve(bytes: number): void;
  /** Releases a closed file and its bytes. */
  release(bytes: number): void;
  /** Runs work on a file. */
  attempt<T>(work: () => Promise<T>): Promise<T>;
}
