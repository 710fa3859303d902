import type { ContextPool } from '../context-pool.js';
import type { WorkClassCounts } from './admission.js';
import { type WorkClass, workClasses } from './workload.js';

/** Current numbers of connections and of waiting work of a connection pool. */
export class PoolCounts {
  constructor(private readonly pool: ContextPool) {}

  /** Number of open connections. */
  get totalCount(): number {
    return this.pool.totalCount;
  }

  /** Number of open connections that are not in use. */
  get idleCount(): number {
    return this.pool.idleCount;
  }

  /** Number of pieces of work that wait for a connection. */
  get waitingCount(): number {
    return this.pool.waitingCount + this.pool.admission.waitingCount;
  }

  /** Numbers of connections and of waiting work by class. */
  get classes(): Readonly<Record<WorkClass, WorkClassCounts>> {
    const figures = workClasses.map((kind) => [kind, this.pool.admission.countsOf(kind)] as const);
    return Object.fromEntries(figures) as Record<WorkClass, WorkClassCounts>;
  }
}
