/** A transaction was started inside another one. The inner function should take the outer `tx` as an argument. */
export class NestedTransactionError extends Error {
  constructor() {
    super('A transaction is already open here: pass its tx on instead of beginning another');
    this.name = 'NestedTransactionError';
  }
}

/** A statement was sent to a finished transaction: a promise was not awaited, or `tx` was retained. */
export class TransactionClosedError extends Error {
  constructor() {
    super('The transaction is over; every query of it must be awaited inside its function');
    this.name = 'TransactionClosedError';
  }
}

/**
 * The function succeeded although one of its statements had failed, so that PostgreSQL rolled back; or it continued
 * although a statement or BEGIN had not reached the server. `cause` is the swallowed failure.
 */
export class TransactionAbortedError extends Error {
  constructor(cause: unknown) {
    super('The transaction was rolled back: a failed statement in it was swallowed', { cause });
    this.name = 'TransactionAbortedError';
  }
}

const LOST =
  'The connection was lost during COMMIT, or what it answered cannot be read: ' +
  'it is unknown whether the transaction was committed';

/**
 * The transaction failed and may have been committed all the same, because the connection was lost while COMMIT was under
 * way; or it was, and what it answered cannot be read; or parts of it were, because BEGIN had failed. Never retried here,
 * because running it again may do its work twice. `cause` is the connection's error, or what has failed.
 */
export class CommitUnknownError extends Error {
  /** @param message which of these it is */
  constructor(cause: unknown, message: string = LOST) {
    super(message, { cause });
    this.name = 'CommitUnknownError';
  }
}
