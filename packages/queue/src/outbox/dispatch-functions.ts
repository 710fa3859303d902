import type { QueueTx } from '../database.js';
import type { NewOutboxRow } from './outbox-row-buffer.js';

/** Function that does the remaining work of a dispatch after the commit is confirmed. */
export type DispatchTaskAfterCommit = () => Promise<void>;

/** Functions that dispatch the outbox rows of one message type. */
export interface OutboxDispatchFunctions {
  /**
   * Dispatches the outbox rows of a realm. Settles at the end of a run that started after the call. The run therefore
   * includes all rows committed before the call.
   */
  readonly dispatchRealm: (realm: string) => Promise<void>;
  /**
   * True if the process that commits outbox rows always dispatches its own rows. No other process must then be woken.
   */
  readonly isLocal?: boolean;
  /**
   * Functions `begin` and `add` that begin dispatching outbox rows in the last statement of the writer's transaction.
   * The functions send that statement immediately. `begin` runs after the rows are inserted. `add` also inserts the
   * writer's only row, or returns false if an insertion in that statement is impossible. The promises resolve to the
   * work after the commit, or to null if the dispatch must run entirely after the commit.
   */
  readonly beforeCommit?: {
    readonly begin?: (realm: string, tx: QueueTx) => Promise<DispatchTaskAfterCommit | null>;
    readonly add: (row: NewOutboxRow, tx: QueueTx) => Promise<DispatchTaskAfterCommit | null> | false;
  };
}
