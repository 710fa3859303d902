import type { SqlStatement, SqlStatementResult } from './transaction-interface.js';

/** A statement that is not sent before the caller knows whether the statement is the last one of the transaction. */
export interface UnsentLastStatement {
  readonly statement: SqlStatement;
  readonly send: (outcome: Promise<SqlStatementResult<never>>) => void;
}
