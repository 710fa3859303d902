import type { QueueTx } from '../database.js';
import type { TransactionHandle } from '../transaction-handle.js';
import { CommitGuardedTransaction, type AdapterOptions } from './commit-guarded-transaction.js';

/** Methods of a client of `pg` that {@link fromPg} uses. */
export interface PgClient extends QueueTx {
  /** State of the connection, since pg 8.17: `I` outside transactions. */
  getTransactionStatus?(): string | null;
}

/**
 * Returns the transaction handle of a transaction that the service itself has begun on a client of `pg`. Call it after
 * BEGIN, or after SAVEPOINT for rows that a ROLLBACK TO SAVEPOINT must drop. `Outbox.begin` suits new code better: it
 * sends BEGIN and COMMIT, and needs no guard.
 *
 * @throws QueueUsageError for a pool, and for a client outside a transaction
 */
export function fromPg(client: PgClient, options?: AdapterOptions): Promise<TransactionHandle> {
  const run = async (sql: string, params: readonly unknown[]): Promise<unknown[]> =>
    (await client.query(sql, [...params])).rows;
  const isActive = (): boolean => client.getTransactionStatus?.() !== 'I';
  return CommitGuardedTransaction.open({ run, isActive }, options);
}
