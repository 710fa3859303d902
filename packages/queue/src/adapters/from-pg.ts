import type { QueueTx } from '../database.js';
import type { TransactionHandle } from '../transaction-handle.js';
import {
  ForeignLibraryTransactionHandle,
  type TransactionAdapterOptions,
} from './foreign-library-transaction-handle.js';

/** Methods of a client of `pg` that {@link fromPg} uses. */
export interface PgClient extends QueueTx {
  /** Returns the transaction state of the connection, available since pg 8.17: `I` outside transactions. */
  getTransactionStatus?(): string | null;
}

/**
 * Returns the transaction handle for a transaction that the service itself has begun on a client of `pg`. Must be
 * called after BEGIN. If ROLLBACK TO SAVEPOINT must discard outbox rows, it must be called after that SAVEPOINT. New
 * code should use `Outbox.begin`, which sends BEGIN and COMMIT itself and needs no guard row.
 *
 * @throws QueueUsageError for a pool, and for a client outside a transaction
 */
export function fromPg(client: PgClient, options?: TransactionAdapterOptions): Promise<TransactionHandle> {
  const run = async (sql: string, params: readonly unknown[]): Promise<unknown[]> =>
    (await client.query(sql, [...params])).rows;
  const isActive = (): boolean => client.getTransactionStatus?.() !== 'I';
  return ForeignLibraryTransactionHandle.open({ run, isActive }, options);
}
