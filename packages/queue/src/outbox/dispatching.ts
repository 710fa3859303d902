import type { QueueTx } from '../database.js';
import type { NewRow } from './buffer.js';

/** Work that is left when the commit was confirmed. */
export type AfterCommitTask = () => Promise<void>;

/** The ways in which the rows of a topic are dispatched. */
export interface Dispatching {
  /** Settles after a look that began after the call. */
  readonly drain: (realm: string) => Promise<void>;
  /**
   * Does a part of it as the last statement of the writer's transaction, sent at once: `begin` behind its inserted
   * rows, `add` with the insertion of its only one, unless it is false. Returns the rest; null when all is left to
   * `drain`.
   */
  readonly beforeCommit?: {
    readonly begin?: (realm: string, tx: QueueTx) => Promise<AfterCommitTask | null>;
    readonly add: (row: NewRow, tx: QueueTx) => Promise<AfterCommitTask | null> | false;
  };
}
