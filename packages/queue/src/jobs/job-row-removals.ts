import type { JobRows } from './job-rows.js';

/** Rows that one DELETE removes. */
interface JobRowRemovalBatch {
  readonly ids: number[];
  /** Ids of the removed rows, after the DELETE is committed. */
  readonly removed: Promise<ReadonlySet<number>>;
}

/**
 * Removes the rows of jobs that have run. Rows that are passed during a DELETE share the next one. A row that another
 * transaction has locked is removed by a statement of its own, so that it delays no other row.
 */
export class JobRowRemovals {
  private previous: Promise<unknown> = Promise.resolve();
  /** Batch whose DELETE was not sent yet. */
  private next: JobRowRemovalBatch | null = null;

  constructor(private readonly rows: Pick<JobRows, 'removeRows' | 'removeUnlockedRows'>) {}

  /**
   * Removes a row. Resolves when the DELETE is committed.
   *
   * @throws Error of the database
   */
  async removeRow(id: number): Promise<void> {
    const batch = (this.next ??= this.createBatch());
    batch.ids.push(id);
    // Another transaction has locked the row, or has removed it.
    if (!(await batch.removed).has(id)) await this.rows.removeRows([id]);
  }

  private createBatch(): JobRowRemovalBatch {
    const ids: number[] = [];
    const removed = this.previous.then(() => {
      this.next = null;
      return this.rows.removeUnlockedRows(ids);
    });
    this.previous = removed.catch(() => undefined);
    return { ids, removed };
  }
}
