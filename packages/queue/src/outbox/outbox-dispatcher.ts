import type { QueueTx } from '../database.js';
import type { TraceContext } from '../environment.js';

/** An outbox row in the form in which its dispatcher gets it. */
export interface DispatchedOutboxRow<P> {
  /** Id of the outbox row. Ids grow in the order of insertion. It can be part of a deterministic job id. */
  readonly id: number;
  readonly key: string | null;
  readonly payload: P;
  /** Number of earlier failures to dispatch this row. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Trace fields of the request that added the row. */
  readonly context: TraceContext;
  /** True if the row is one of more than 50 that its transaction added for an ordered message type. */
  readonly bulk: boolean;
}

/** Result of a {@link Dispatcher}. */
export interface OutboxDispatchResult {
  /**
   * Work outside a transaction, such as adding jobs. If that work is lost, it must be recoverable from the writes of the
   * transaction.
   */
  readonly afterCommit?: () => Promise<void>;
  /**
   * Number of rows, from the first, whose work is done; at least 1. The other rows remain for the next batch, so that a
   * dispatcher can limit the size of its transaction. Default: all.
   */
  readonly handledRows?: number;
}

/**
 * Function that does the work of outbox rows. Its writes go through `tx`, the transaction that deletes the rows, so
 * that both commit together.
 */
export type Dispatcher<P> = (
  rows: readonly DispatchedOutboxRow<P>[],
  tx: QueueTx,
) => Promise<void | OutboxDispatchResult>;
