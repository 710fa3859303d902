import type { QueueTx } from '../database.js';
import type { TraceContext } from '../environment.js';

/** An outbox row in the form that its dispatcher receives. */
export interface DispatchedOutboxRow<P> {
  /** Id of the outbox row. Ids grow in the order of insertion. The id can be part of a deterministic job id. */
  readonly id: number;
  readonly key: string | null;
  readonly payload: P;
  /** Number of earlier failures to dispatch this outbox row. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Trace fields of the request that added the outbox row. */
  readonly context: TraceContext;
  /**
   * True if the outbox row belongs to a large transaction. A large transaction has added more than 50 rows of one
   * ordered message type.
   */
  readonly bulk: boolean;
}

/** Result of a {@link OutboxRowsDispatcher}: the work after the commit, and the number of handled outbox rows. */
export interface OutboxDispatchResult {
  /**
   * Function that does work after the commit and outside a transaction, such as adding jobs. If that work is lost, it
   * must be recoverable from the writes of the transaction.
   */
  readonly afterCommit?: () => Promise<void>;
  /**
   * Number of outbox rows, counted from the first row of the batch, whose work is done; at least 1. The other rows
   * remain for the next batch, so that a dispatcher can limit the size of its transaction. Default: all rows.
   */
  readonly handledRows?: number;
}

/**
 * Function that does the work of outbox rows. The function's writes go through `tx`, the transaction that deletes the
 * rows, so that writes and deletion commit together.
 */
export type OutboxRowsDispatcher<P> = (
  rows: readonly DispatchedOutboxRow<P>[],
  tx: QueueTx,
) => Promise<void | OutboxDispatchResult>;
