import type { TransactionHandle } from '../transaction-handle.js';
import { QueueUsageError } from '../queue-usage-error.js';
import {
  ForeignLibraryTransactionHandle,
  type TransactionAdapterOptions,
} from './foreign-library-transaction-handle.js';

/** Part of a query runner of TypeORM that {@link fromTypeOrm} uses. */
export interface TypeOrmQueryRunner {
  readonly isTransactionActive: boolean;
  query(sql: string, params: unknown[] | undefined, useStructuredResult: true): Promise<{ records: unknown[] }>;
}

/** An entity manager of TypeORM; inside a transaction, the manager has a query runner. */
export interface TypeOrmEntityManager {
  readonly queryRunner?: TypeOrmQueryRunner | undefined;
}

/**
 * Returns the transaction handle for a transaction of TypeORM. The argument is the entity manager that `transaction`
 * passes to its callback, or a query runner after `startTransaction`. A nested transaction is a savepoint and needs a
 * separate handle.
 *
 * @throws QueueUsageError for a manager or query runner outside a transaction
 */
export async function fromTypeOrm(
  source: TypeOrmQueryRunner | TypeOrmEntityManager,
  options?: TransactionAdapterOptions,
): Promise<TransactionHandle> {
  const runner = 'isTransactionActive' in source ? source : source.queryRunner;
  if (!runner) throw new QueueUsageError('This entity manager belongs to no transaction');
  const run = async (sql: string, params: readonly unknown[]): Promise<unknown[]> =>
    (await runner.query(sql, [...params], true)).records;
  return ForeignLibraryTransactionHandle.open({ run, isActive: () => runner.isTransactionActive }, options);
}
