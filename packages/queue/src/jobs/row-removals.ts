import type { JobRows } from './job-rows.js';

/** Rows that one DELETE removes. */
interface RemovalBatch {
  readonly ids: number[];
  readonly removed: Promise<void>;
}

/** Removes the rows of jobs that have run. Rows that are passed during a DELETE share the next one. */
export class RowRemovals {
  private previous: Promise<void> = Promise.resolve();
  /** Batch whose DELETE was not sent yet. */
  private next: RemovalBatch | null = null;

  constructor(private readonly rows: Pick<JobRows, 'remove'>) {}

  /**
   * Removes a row. Resolves when the DELETE is committed.
   *
   * @throws Error of the database
   */
  remove(id: number): Promise<void> {
    this.next ??= this.createBatch();
    this.next.ids.push(id);
    return this.next.removed;
  }

  private createBatch(): RemovalBatch {
    const ids: number[] = [];
    const removed = this.previous.then(() => {
      this.next = null;
      return this.rows.remove(ids);
    });
    this.previous = removed.catch(() => undefined);
    return { ids, removed };
  }
}
