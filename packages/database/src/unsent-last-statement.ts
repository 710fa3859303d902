import type { SqlStatement, SqlStatementResult } from './transaction-interface.js';

/** A statement that is not sent until it is known whether the statement is the last one of its transaction. */
export interface UnsentLastStatement {
  readonly statement: SqlStatement;
  readonly send: (outcome: Promise<SqlStatementResult<never>>) => void;
}
