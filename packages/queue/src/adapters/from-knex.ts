import type { TransactionHandle } from '../transaction-handle.js';
import {
  ForeignLibraryTransactionHandle,
  type TransactionAdapterOptions,
} from './foreign-library-transaction-handle.js';

/** Methods of a transaction of Knex for PostgreSQL that {@link fromKnex} uses. */
export interface KnexTransaction {
  raw(sql: string, bindings: readonly unknown[]): PromiseLike<{ readonly rows: unknown[] }>;
  isCompleted(): boolean;
}

/**
 * Returns the transaction handle for a transaction of Knex. The transaction is the argument of the callback of
 * `transaction`, or the result of `await knex.transaction()`. A nested `transaction` is a savepoint and needs a
 * separate handle.
 *
 * @throws QueueUsageError when the transaction has ended
 */
export function fromKnex(trx: KnexTransaction, options?: TransactionAdapterOptions): Promise<TransactionHandle> {
  const run = async (sql: string, params: readonly unknown[]): Promise<unknown[]> => {
    const { text, bindings } = toKnexBindings(sql, params);
    return (await trx.raw(text, bindings)).rows;
  };
  return ForeignLibraryTransactionHandle.open({ run, isActive: () => !trx.isCompleted() }, options);
}

/**
 * Returns the SQL and the bindings for Knex: each parameter `$1`, `$2`, … becomes `?` with one binding. Other question
 * marks are escaped.
 */
function toKnexBindings(sql: string, params: readonly unknown[]): { text: string; bindings: unknown[] } {
  const bindings: unknown[] = [];
  const text = sql.replaceAll('?', String.raw`\?`).replaceAll(/\$(\d+)/g, (_, number: string) => {
    bindings.push(params[Number(number) - 1] ?? null);
    return '?';
  });
  return { text, bindings };
}
