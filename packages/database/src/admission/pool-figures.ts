import type { ContextPool } from '../context-pool.js';
import type { ClassFigures } from './admission.js';
import { type WorkClass, workClasses } from './workload.js';

/** Connections and waiting work of a pool at the time of reading. */
export class PoolFigures {
  constructor(private readonly pool: ContextPool) {}

  /** Open connections. */
  get totalCount(): number {
    return this.pool.totalCount;
  }

  /** Open connections that no work has. */
  get idleCount(): number {
    return this.pool.idleCount;
  }

  /** Pieces of work that wait for a connection. */
  get waitingCount(): number {
    return this.pool.waitingCount + this.pool.admission.waiting;
  }

  /** Connections and waiting work by class. */
  get classes(): Readonly<Record<WorkClass, ClassFigures>> {
    const figures = workClasses.map((kind) => [kind, this.pool.admission.figures(kind)] as const);
    return Object.fromEntries(figures) as Record<WorkClass, ClassFigures>;
  }
}
