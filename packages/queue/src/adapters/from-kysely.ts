import { randomUUID } from 'node:crypto';
import type { TransactionHandle } from '../transaction-handle.js';
import {
  ForeignLibraryTransactionHandle,
  type TransactionAdapterOptions,
} from './foreign-library-transaction-handle.js';

/** An SQL statement in the form in which Kysely runs it. */
interface KyselyQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly query: {
    readonly kind: 'RawNode';
    readonly sqlFragments: readonly string[];
    readonly parameters: readonly never[];
  };
  readonly queryId: { readonly queryId: string };
}

/** Methods of a transaction of Kysely that {@link fromKysely} uses. */
export interface KyselyTransaction {
  executeQuery(query: KyselyQuery): Promise<{ readonly rows: unknown[] }>;
}

/**
 * Returns the transaction handle of a transaction of Kysely: of the argument of the callback of `transaction().execute`,
 * or of a controlled transaction. For rows that `rollbackToSavepoint` must drop, create a handle after the savepoint and
 * flush it before `releaseSavepoint`.
 *
 * @throws QueueUsageError for a database outside a transaction
 */
export function fromKysely(trx: KyselyTransaction, options?: TransactionAdapterOptions): Promise<TransactionHandle> {
  const run = async (sql: string, parameters: readonly unknown[]): Promise<unknown[]> => {
    const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] } as const;
    return (await trx.executeQuery({ sql, parameters, query, queryId: { queryId: randomUUID() } })).rows;
  };
  return ForeignLibraryTransactionHandle.open({ run }, options);
}
