/**
 * Error for a transaction that was started inside another transaction. The inner code should use the outer transaction,
 * which it can take as an argument `tx`.
 */
export class NestedTransactionError extends Error {
  constructor() {
    super('A transaction is already open: pass its tx as an argument instead of starting another one');
    this.name = 'NestedTransactionError';
  }
}

/**
 * Error for a statement in a transaction that has already ended. The calling code did not await a promise, or used `tx`
 * after the end.
 */
export class TransactionClosedError extends Error {
  constructor() {
    super('The transaction has ended: await all of its queries inside its function');
    this.name = 'TransactionClosedError';
  }
}

/**
 * Error of a transaction whose function ignored the failure of a statement. Either PostgreSQL has rolled back the
 * transaction, or a statement or BEGIN has not reached the server. `cause` is the error that the function ignored.
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
 * Error of a transaction that may have been committed completely, in part, or not at all. Causes are a lost connection
 * after COMMIT was sent, an unparsable response to COMMIT, or a failure of BEGIN while other statements ran. This
 * package never retries a transaction with this error, because the work might be done twice. `cause` is the error of
 * the connection or of the failed statement.
 */
export class UnknownCommitOutcomeError extends Error {
  /** @param message describes which of these cases occurred */
  constructor(cause: unknown, message: string = LOST_COMMIT_MESSAGE) {
    super(message, { cause });
    this.name = 'UnknownCommitOutcomeError';
  }
}

/** Message of the error of a step after COMMIT. */
export const FAILURE_AFTER_COMMIT_MESSAGE =
  'The transaction was committed, but a later step failed, or the response cannot be parsed';

/** Message of the error when statements were sent behind a BEGIN that failed. */
export const BEGIN_FAILED_MESSAGE =
  'BEGIN has failed with statements on their way behind it: ' +
  'it is unknown which of them were committed, each by itself';
