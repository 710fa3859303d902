import type { DatabaseWorkClass } from './database-workload.js';

/**
 * Error of database work that waited too long for a connection. It has the SQLSTATE of the error of a server without
 * free connections, so that both errors are treated as `unavailable`.
 */
export class AdmissionTimeoutError extends Error {
  readonly code = '53300';
  readonly severity = 'FATAL';

  constructor(kind: DatabaseWorkClass, limitMs: number) {
    super(`No database connection for ${kind} work became free within ${limitMs} ms`);
    this.name = 'AdmissionTimeoutError';
  }
}
