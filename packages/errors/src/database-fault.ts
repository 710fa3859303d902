/**
 * Kind of a database error, in terms that domain code can handle.
 *
 * - `unique`, `foreign_key`, `check`, `not_null`, `exclusion`: a constraint rejected the row.
 * - `serialization`, `deadlock`: the transaction conflicted with another one and may be repeated.
 * - `value`: a value does not fit its type (too long, out of range, malformed, not encodable).
 * - `not_found`: Prisma was to change or read a row that does not exist (P2025).
 * - `timeout`: the statement was cancelled, usually by its time limit, or waited too long for a lock.
 * - `unavailable`: the database cannot be reached, is shutting down, accepts only reads, or has no free connection or
 *   memory.
 */
export type DatabaseFaultKind =
  | 'unique'
  | 'foreign_key'
  | 'check'
  | 'not_null'
  | 'exclusion'
  | 'serialization'
  | 'deadlock'
  | 'value'
  | 'not_found'
  | 'timeout'
  | 'unavailable';

/**
 * A database error with its kind, and with the names of constraint, table and columns that PostgreSQL or Prisma
 * reports.
 */
export interface DatabaseFault {
  kind: DatabaseFaultKind;
  /** Name of the constraint or unique index that the database error reports as violated. */
  constraint?: string;
  /** Name of the table in which the error occurred, without its schema. */
  table?: string;
  /** Name of the column that the database error is about, if there is exactly one. */
  column?: string;
  /**
   * Names of the columns of the violated key, in their order in the key. Columns that the error does not report are
   * missing.
   */
  columns?: string[];
  /**
   * Detail of PostgreSQL's error message. The detail contains values of the row, so it may be logged but not sent to
   * clients.
   */
  detail?: string;
}
