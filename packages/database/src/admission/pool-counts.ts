import type { AdmissionPool } from '../admission-pool.js';
import type { WorkClassCounts } from './connection-admission.js';
import { type DatabaseWorkClass, databaseWorkClasses } from './database-workload.js';

/** Current numbers of connections and of waiting work of a connection pool. */
export class PoolCounts {
  constructor(private readonly pool: AdmissionPool) {}

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
    return this.pool.waitingCount + this.pool.admission.waitingWorkCount;
  }

  /** Numbers of connections and of waiting work by class. */
  get classes(): Readonly<Record<DatabaseWorkClass, WorkClassCounts>> {
    const figures = databaseWorkClasses.map((kind) => [kind, this.pool.admission.getWorkClassCounts(kind)] as const);
    return Object.fromEntries(figures) as Record<DatabaseWorkClass, WorkClassCounts>;
  }
}
