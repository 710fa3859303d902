import type { TransactionTransport } from './transport/transaction-transport.js';
import type { OpenTx } from './transaction-interface.js';

/** Isolation level of a transaction. */
export type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

/**
 * Information for `DatabaseOptions.beforeCommit` about the statement that is sent after the statements of that
 * function.
 */
export interface BeforeCommitContext {
  /**
   * True if COMMIT is sent in the same write, so that locks are released even if this process stops. False if a
   * statement of the caller follows first.
   */
  readonly commitFollows: boolean;
}

/** Settings for the start and the end of a transaction. */
export interface TransactionSettings<Client> {
  readonly isolation: IsolationLevel;
  readonly readOnly: boolean;
  readonly transport: TransactionTransport;
  /** Runs before COMMIT; see `DatabaseOptions.beforeCommit`. */
  readonly beforeCommit: ((tx: OpenTx, ending: BeforeCommitContext) => Promise<void>) | undefined;
  /** Called when COMMIT is sent, if the transaction may write. Afterwards {@link Transaction.cancel} has no effect. */
  readonly onCommit?: (() => void) | undefined;
  /** Returns the Prisma client of a transaction. */
  readonly prismaOf: (tx: OpenTx) => Client;
}
