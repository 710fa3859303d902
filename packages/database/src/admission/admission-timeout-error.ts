import type { DatabaseWorkClass } from './database-workload.js';

/**
 * Error of database work that waited too long for a connection. The error has the same SQLSTATE as the error of a
 * server without free connections. Services therefore treat both errors as `unavailable`.
 */
export class ConnectionWaitTimeoutError extends Error {
  readonly code = '53300';
  readonly severity = 'FATAL';

  constructor(kind: DatabaseWorkClass, limitMs: number) {
    super(`No database connection for ${kind} work became free within ${limitMs} ms`);
    this.name = 'ConnectionWaitTimeoutError';
  }
}
