import type { WorkClass } from './workload.js';

/** Right of one operation to a connection. */
export interface Ticket {
  readonly user: string | undefined;
  /** Class that the connection counts for. Becomes `heavy` when a statement takes long. */
  kind: WorkClass;
}
