/**
 * Error for a transaction that was started inside another transaction. The inner function should take the outer `tx` as
 * an argument.
 */
export class NestedTransactionError extends Error {
  constructor() {
    super('A transaction is already open: pass its tx as an argument instead of starting another one');
    this.name = 'NestedTransactionError';
  }
}

/**
 * Error for a statement that was sent to a transaction that has ended: a promise was not awaited, or `tx` was used
 * later.
 */
export class TransactionClosedError extends Error {
  constructor() {
    super('The transaction has ended: await all of its queries inside its function');
    this.name = 'TransactionClosedError';
  }
}

/**
 * Error of a transaction whose function succeeded although a statement had failed, so that PostgreSQL rolled back, or
 * although a statement or BEGIN had not reached the server. `cause` is the error that the function ignored.
 */
export class TransactionAbortedError extends Error {
  constructor(cause: unknown) {
    super('The transaction was rolled back: a failed statement in it was swallowed', { cause });
    this.name = 'TransactionAbortedError';
  }
}

const LOST_COMMIT_MESSAGE =
  'The connection was lost during COMMIT, or its response cannot be parsed: ' +
  'it is unknown whether the transaction was committed';

/**
 * Error of a transaction that may have been committed completely, in part, or not at all: the connection was lost after
 * COMMIT was sent, the response to COMMIT cannot be parsed, or BEGIN failed while other statements ran. This package
 * never retries such a transaction, because its work might be done twice. `cause` is the error of the connection or of
 * the failed statement.
 */
export class CommitUnknownError extends Error {
  /** @param message describes which of these cases occurred */
  constructor(cause: unknown, message: string = LOST_COMMIT_MESSAGE) {
    super(message, { cause });
    this.name = 'CommitUnknownError';
  }
}
