import type { DatabaseWorkClass } from './database-workload.js';

/** Permission for a piece of database work to use a connection. */
export interface ConnectionTicket {
  readonly user: string | undefined;
  /** Class of work whose share of the pool contains the connection. It becomes `heavy` when a statement takes long. */
  kind: DatabaseWorkClass;
}
