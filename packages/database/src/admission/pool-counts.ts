import type { AdmissionControlledPool } from '../admission-pool.js';
import type { DatabaseWorkClassCounts } from './connection-admission.js';
import { type DatabaseWorkClass, databaseWorkClasses } from './database-workload.js';

/** Current numbers of a connection pool: its connections, and the pieces of work that wait for a connection. */
export class ConnectionPoolCounts {
  constructor(private readonly pool: AdmissionControlledPool) {}

  /** Number of open connections of the pool. */
  get totalCount(): number {
    return this.pool.totalCount;
  }

  /** Number of open connections of the pool that are not in use. */
  get idleCount(): number {
    return this.pool.idleCount;
  }

  /** Number of pieces of database work that wait for a connection of the pool. */
  get waitingCount(): number {
    return this.pool.waitingCount + this.pool.admission.waitingWorkCount;
  }

  /** Numbers of connections in use and of waiting pieces of work, by class of database work. */
  get classes(): Readonly<Record<DatabaseWorkClass, DatabaseWorkClassCounts>> {
    const figures = databaseWorkClasses.map((kind) => [kind, this.pool.admission.getWorkClassCounts(kind)] as const);
    return Object.fromEntries(figures) as Record<DatabaseWorkClass, DatabaseWorkClassCounts>;
  }
}
