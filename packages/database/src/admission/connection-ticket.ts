import type { DatabaseWorkClass } from './database-workload.js';

/** Permission for one piece of database work to use a connection. */
export interface DatabaseConnectionPermit {
  readonly user: string | undefined;
  /**
   * Class of work whose share of the pool contains the connection. The class changes to `heavy` when a statement runs
   * for long.
   */
  kind: DatabaseWorkClass;
}
