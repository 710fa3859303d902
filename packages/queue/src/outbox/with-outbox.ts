import type { QueuePool } from '../database.js';
import type { TransactionHandle } from '../transaction-handle.js';
import type { Outbox } from './outbox.js';

/**
 * Runs `work` in a transaction that may add outbox rows, for services that do not use `@switchboard/database`. The
 * outbox rows are inserted at the end of the transaction, and dispatched after the commit. If `work` or the database
 * fails, the transaction is rolled back and the error is rethrown.
 */
export async function withOutbox<T>(
  pool: QueuePool,
  outbox: Outbox,
  work: (tx: TransactionHandle) => Promise<T>,
): Promise<T> {
  const connection = await pool.connect();
  let broken = true;
  try {
    const tx = await outbox.begin(connection);
    try {
      const value = await work(tx);
      await outbox.flush(tx);
      await tx.commit();
      broken = false;
      return value;
    } catch (error) {
      broken = !(await tx.rollback().then(
        () => true,
        () => false,
      ));
      throw error;
    }
  } finally {
    connection.release(broken);
  }
}
