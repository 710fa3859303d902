import { inPoolTransaction, type QueuePool, type QueueTx } from '../database.js';
import type { Outbox } from './outbox.js';

/**
 * A transaction with an outbox, for services that do not use `@switchboard/database`: rows added inside are inserted
 * last, and drained after the commit. Errors of `work` and of the database roll back and are thrown on.
 */
export async function withOutbox<T>(pool: QueuePool, outbox: Outbox, work: (tx: QueueTx) => Promise<T>): Promise<T> {
  let committed: QueueTx | undefined;
  const result = await inPoolTransaction(pool, async (connection) => {
    // A fresh object: pooled connections come back, and rows are kept by the identity of their transaction.
    const tx: QueueTx = { query: (sql, params) => connection.query(sql, params) };
    const value = await work(tx);
    await outbox.flush(tx);
    committed = tx;
    return value;
  });
  if (committed) outbox.committed(committed);
  return result;
}
