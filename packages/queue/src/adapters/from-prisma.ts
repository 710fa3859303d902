import type { TransactionHandle } from '../transaction-handle.js';
import {
  ForeignLibraryTransactionHandle,
  type TransactionAdapterOptions,
} from './foreign-library-transaction-handle.js';

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
export function fromPrisma(
  tx: PrismaTransactionClient,
  options?: TransactionAdapterOptions,
): Promise<TransactionHandle> {
  const run = async (sql: string, params: readonly unknown[]): Promise<unknown[]> =>
    tx.$queryRawUnsafe<unknown[]>(sql, ...params);
  return ForeignLibraryTransactionHandle.open({ run }, options);
}
