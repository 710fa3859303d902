import type { Transport } from './transport/transport.js';
import type { OpenTx } from './tx.js';

/** Isolation level of a transaction. */
export type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

/** Statements to send after those that `DatabaseOptions.beforeCommit` sends immediately. */
export interface Ending {
  /**
   * True if COMMIT is sent in the same write, so that locks are released by the commit regardless of this process.
   * False if a statement of the caller follows.
   */
  readonly commitFollows: boolean;
}

/** Settings of the start and the end of a transaction. */
export interface TransactionSettings<Client> {
  readonly isolation: IsolationLevel;
  readonly readOnly: boolean;
  readonly transport: Transport;
  /** Runs last; see `DatabaseOptions.beforeCommit`. */
  readonly beforeCommit: ((tx: OpenTx, ending: Ending) => Promise<void>) | undefined;
  /**
   * Called when COMMIT of a transaction that may write is sent. From then on {@link Transaction.cancel} does nothing.
   */
  readonly onCommit?: (() => void) | undefined;
  /** Returns the Prisma client of a transaction. */
  readonly prismaOf: (tx: OpenTx) => Client;
}
