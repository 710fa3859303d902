import type { TransactionHandle } from '../transaction-handle.js';
import {
  ForeignLibraryTransactionHandle,
  type TransactionAdapterOptions,
} from './foreign-library-transaction-handle.js';

/** Session object of a transaction of Drizzle for PostgreSQL. */
interface DrizzleSession {
  prepareQuery(
    query: { sql: string; params: unknown[] },
    fields: undefined,
    name: undefined,
    isResponseInArrayMode: false,
  ): { execute(): Promise<unknown> };
}

/** Part of a transaction of Drizzle for PostgreSQL that {@link fromDrizzle} uses. */
export interface DrizzleTransaction {
  readonly _: { readonly session: DrizzleSession };
}

/**
 * Returns the transaction handle of a transaction of Drizzle: of the argument of the callback of `transaction`. A nested
 * `transaction` is a savepoint and needs a handle of its own.
 *
 * @throws QueueUsageError for a database outside a transaction
 */
export function fromDrizzle(tx: DrizzleTransaction, options?: TransactionAdapterOptions): Promise<TransactionHandle> {
  const run = async (sql: string, params: readonly unknown[]): Promise<unknown[]> => {
    const query = tx._.session.prepareQuery({ sql, params: [...params] }, undefined, undefined, false);
    const result: unknown = await query.execute();
    // Some drivers return the rows, others an object with the rows.
    if (Array.isArray(result)) return result;
    const rows: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, 'rows') : [];
    return Array.isArray(rows) ? rows : [];
  };
  return ForeignLibraryTransactionHandle.open({ run }, options);
}
