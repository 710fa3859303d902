import type { QueueTx } from './database.js';
import { QueueUsageError } from './queue-usage-error.js';

/**
 * Handle of a single database transaction. Each transaction has its own handle, but one connection runs several
 * transactions. Outbox rows belong to the handle, so that the rows are dropped if the transaction is rolled back.
 * `withOutbox`, `Outbox.begin`, `Database.inTransaction` of `@switchboard/database` and the adapters such as
 * `fromPrisma` create handles.
 */
export interface TransactionHandle extends QueueTx {
  /** True until COMMIT or ROLLBACK of the transaction is sent. */
  readonly isOpen: boolean;
  /**
   * Registers a function that runs immediately before COMMIT is sent. An error of the function rolls back the
   * transaction and is rethrown.
   */
  addCommitCheck(check: () => void): void;
  /**
   * Runs the commit checks of a transaction whose COMMIT another library sends. `Outbox.flush` calls the method before
   * its statements. Outbox rows that are added afterwards are refused.
   *
   * @throws QueueUsageError when the transaction has ended
   */
  beginFlush?(): Promise<void>;
}

/**
 * Returns `tx` as a transaction handle.
 *
 * @throws QueueUsageError for a connection, a pool, or a transaction that has ended
 */
export function transactionHandle(tx: QueueTx): TransactionHandle {
  if (!isTransactionHandle(tx)) {
    throw new QueueUsageError(
      'This is not a transaction handle, so that its rows could survive a rollback: ' +
        'use the handle of withOutbox, Database.inTransaction, outbox.begin(client) or an adapter such as fromPg',
    );
  }
  if (!tx.isOpen) throw new QueueUsageError('The transaction has ended, or its handle was flushed by an adapter');
  return tx;
}

function isTransactionHandle(tx: unknown): tx is TransactionHandle {
  return (
    typeof tx === 'object' &&
    tx !== null &&
    'isOpen' in tx &&
    typeof tx.isOpen === 'boolean' &&
    'addCommitCheck' in tx &&
    typeof tx.addCommitCheck === 'function'
  );
}
