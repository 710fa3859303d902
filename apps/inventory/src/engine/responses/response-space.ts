import type { FileHandle } from 'node:fs/promises';

/** Limits on the size of responses, in bytes, and on their temporary files. */
export interface ResponseLimits {
  readonly largest: number;
  /** A larger response is written to a temporary file. */
  readonly inMemory: number;
  /** Temporary files that are open at a time, at most. */
  readonly files: number;
  /** Longest time that a client may take to read a response from a temporary file, in milliseconds. */
  readonly sendMs: number;
}

/** Temporary files as one response uses them. */
export interface ResponseSpace {
  readonly limits: ResponseLimits;
  /** Opens a file without a name. */
  open(): Promise<FileHandle>;
  /** Counts bytes before they are written to a file. */
  reserve(bytes: number): void;
  /** Uncounts a file that is closed, and its bytes. */
  release(bytes: number): void;
  /** Runs work on a file. */
  attempt<T>(work: () => Promise<T>): Promise<T>;
}
