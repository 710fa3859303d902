import type { QueueTx } from './database.js';
import { QueueUsageError } from './queue-usage-error.js';

/**
 * Handle of a single transaction: each transaction has its own object, unlike a connection that runs several. Rows of
 * the outbox belong to the handle, so that they are dropped if the transaction is rolled back. `withOutbox`,
 * `Outbox.begin`, `Database.inTransaction` of `@switchboard/database` and the adapters such as `fromPrisma` create such
 * handles.
 */
export interface TransactionHandle extends QueueTx {
  /** True until COMMIT or ROLLBACK is sent. */
  readonly isOpen: boolean;
  /**
   * Registers a function that runs immediately before COMMIT is sent. An error of the function rolls back and is
   * rethrown.
   */
  addCommitCheck(check: () => void): void;
  /**
   * Called by `Outbox.flush` before its statements, for handles of transactions whose COMMIT another library sends. It
   * runs the checks. Rows that are added afterwards are refused.
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
  if (!isHandle(tx)) {
    throw new QueueUsageError(
      'This is not a transaction handle, so that its rows could survive a rollback: ' +
        'use the handle of withOutbox, Database.inTransaction, outbox.begin(client) or an adapter such as fromPg',
    );
  }
  if (!tx.isOpen) throw new QueueUsageError('The transaction has ended, or its handle was flushed by an adapter');
  return tx;
}

function isHandle(tx: unknown): tx is TransactionHandle {
  return (
    typeof tx === 'object' &&
    tx !== null &&
    'isOpen' in tx &&
    typeof tx.isOpen === 'boolean' &&
    'addCommitCheck' in tx &&
    typeof tx.addCommitCheck === 'function'
  );
}
