import type { TransactionTransport } from './transport/transaction-transport.js';
import type { OpenTx } from './transaction-interface.js';

/** Isolation level of a database transaction in PostgreSQL. */
export type TransactionIsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

/**
 * Information for the callback `DatabaseOptions.beforeCommit` about the statement that follows the callback's own
 * statements.
 */
export interface BeforeCommitContext {
  /**
   * True if COMMIT is sent in the same write as the callback's statements, so that row locks are released even if this
   * process stops. False if another statement of the caller follows first.
   */
  readonly commitFollows: boolean;
}

/** Settings for the start and the end of a database transaction. */
export interface TransactionSettings<Client> {
  readonly isolation: TransactionIsolationLevel;
  readonly readOnly: boolean;
  readonly transport: TransactionTransport;
  /** Callback that runs before COMMIT; see `DatabaseOptions.beforeCommit`. */
  readonly beforeCommit: ((tx: OpenTx, ending: BeforeCommitContext) => Promise<void>) | undefined;
  /**
   * Callback that is called when COMMIT is sent, if the transaction may write. After that, {@link PooledTransaction.cancel}
   * has no effect.
   */
  readonly onCommit?: (() => void) | undefined;
  /** Returns the Prisma client whose statements belong to the given transaction. */
  readonly prismaOf: (tx: OpenTx) => Client;
}
