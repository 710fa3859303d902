import type { JobOutboxRows } from './job-rows.js';

/** Batch of job rows that one DELETE statement removes from the outbox. */
interface JobRowRemovalBatch {
  readonly ids: number[];
  /** Ids of the job rows that the DELETE statement removed. The promise resolves after the DELETE is committed. */
  readonly removed: Promise<ReadonlySet<number>>;
}

/**
 * Removes the outbox rows of jobs that have run. Rows that are passed during a DELETE statement share the next DELETE.
 * A row that another transaction has locked is removed by a separate statement, so that the locked row delays no other
 * row.
 */
export class BatchedJobRowRemover {
  private previous: Promise<unknown> = Promise.resolve();
  /** Batch of job rows whose DELETE statement was not sent yet; null if no rows are waiting. */
  private next: JobRowRemovalBatch | null = null;

  constructor(private readonly rows: Pick<JobOutboxRows, 'removeRows' | 'removeUnlockedRows'>) {}

  /**
   * Removes the outbox row of a job. Resolves when the DELETE is committed.
   *
   * @throws Error of the database
   */
  async removeJobRow(id: number): Promise<void> {
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
