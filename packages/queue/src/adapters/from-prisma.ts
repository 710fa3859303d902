import type { TransactionHandle } from '../transaction-handle.js';
import { CommitGuardedTransaction, type AdapterOptions } from './commit-guarded-transaction.js';

/** Methods of the client of an interactive transaction of Prisma that {@link fromPrisma} uses. */
export interface PrismaTransactionClient {
  $queryRawUnsafe<T>(sql: string, ...params: unknown[]): PromiseLike<T>;
}

/**
 * Returns the transaction handle of an interactive transaction of Prisma: of the argument of the callback of
 * `$transaction`.
 *
 * @throws QueueUsageError for a client outside a transaction
 */
export function fromPrisma(tx: PrismaTransactionClient, options?: AdapterOptions): Promise<TransactionHandle> {
  const run = async (sql: string, params: readonly unknown[]): Promise<unknown[]> =>
    tx.$queryRawUnsafe<unknown[]>(sql, ...params);
  return CommitGuardedTransaction.open({ run }, options);
}
