import type { QueueTx } from '../database.js';
import type { NewRow } from './buffer.js';

/** Work that remains after the commit is confirmed. */
export type AfterCommitTask = () => Promise<void>;

/** Functions that dispatch the rows of a message type. */
export interface Dispatching {
  /**
   * Dispatches a realm's rows. Settles when a drain that started after the call has ended, so it includes all rows
   * committed before the call.
   */
  readonly drain: (realm: string) => Promise<void>;
  /**
   * Starts the drain as the last statement of the writer's transaction, sent immediately: `begin` after its rows are
   * inserted, `add` together with the insertion of its only row. `add` returns false if it cannot. Both resolve to the
   * remaining work, or to null if `drain` has to do everything.
   */
  readonly beforeCommit?: {
    readonly begin?: (realm: string, tx: QueueTx) => Promise<AfterCommitTask | null>;
    readonly add: (row: NewRow, tx: QueueTx) => Promise<AfterCommitTask | null> | false;
  };
}
