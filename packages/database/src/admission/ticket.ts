import type { WorkClass } from './workload.js';

/** Permission for a piece of work to use a connection. */
export interface Ticket {
  readonly user: string | undefined;
  /** Class in whose share the connection counts. It becomes `heavy` when a statement takes long. */
  kind: WorkClass;
}
