/**
 * The kind of a database error, in terms that domain code can handle.
 *
 * - `unique`, `foreign_key`, `check`, `not_null`, `exclusion`: a constraint refused the row.
 * - `serialization`, `deadlock`: the transaction lost to another one and may be run again.
 * - `value`: a value does not fit its type (too long, out of range, malformed, not encodable).
 * - `not_found`: Prisma was told to change or read a row that is not there (P2025).
 * - `timeout`: the statement was cancelled, usually by its time limit.
 * - `unavailable`: the database cannot be reached, is shutting down or has no free connection.
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

/** A database error in the terms of this package; with names if PostgreSQL or Prisma report them. */
export interface DatabaseFault {
  kind: DatabaseFaultKind;
  /** Name of the constraint or unique index. */
  constraint?: string;
  /** Table, without its schema. */
  table?: string;
  /** The one column concerned. */
  column?: string;
  /** All columns of the key, in order, as far as known. */
  columns?: string[];
  /** PostgreSQL's detail. It quotes the row's values: for the log, not for clients. */
  detail?: string;
}
