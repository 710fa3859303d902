/** A transaction was begun inside another one. The inner function should take the outer `tx` as an argument. */
export class NestedTransactionError extends Error {
  constructor() {
    super('A transaction is already open here: pass its tx on instead of beginning another');
    this.name = 'NestedTransactionError';
  }
}

/** A statement was given to a transaction that is over: a promise was not awaited, or `tx` was kept. */
export class TransactionClosedError extends Error {
  constructor() {
    super('The transaction is over; every query of it must be awaited inside its function');
    this.name = 'TransactionClosedError';
  }
}

/**
 * The function ended well although one of its statements had failed, so that PostgreSQL rolled back what it was
 * asked to commit. `cause` is the failure that was swallowed.
 */
export class TransactionAbortedError extends Error {
  constructor(cause: unknown) {
    super('The transaction was rolled back: a failed statement in it was swallowed', { cause });
    this.name = 'TransactionAbortedError';
  }
}

/**
 * The connection was lost while COMMIT was under way: the transaction may have been committed or not. Never retried
 * here, because running it again may do its work twice. `cause` is the connection's error.
 */
export class CommitUnknownError extends Error {
  constructor(cause: unknown) {
    super('The connection was lost during COMMIT: it is unknown whether the transaction was committed', { cause });
    this.name = 'CommitUnknownError';
  }
}
