/**
 * Maximum number of times that a write with slow work runs. The required work may change with each run if other
 * requests change the same objects. The last run does the slow work within the transaction.
 */
const MAX_WRITE_RUNS = 10;

/**
 * Runs slow work of a write, such as hashing passwords and storing files, outside the transaction, because this work
 * needs no database connection. The transaction requests each result. If a result is missing, the transaction is rolled
 * back, which frees its connection. Then the slow work is done, and the transaction runs again. Therefore only writes
 * that passed all checks cause slow work. The last run does the slow work inside the transaction, where row locks
 * prevent the required work from changing again.
 */
export class WorkOutsideTransaction {
  readonly #results = new Map<unknown, unknown>();
  readonly #missing = new Map<unknown, () => Promise<unknown>>();
  #isLastRun = false;

  /**
   * Returns the result of slow work. Returns undefined if the work was not done yet; it is then done before the next
   * run.
   */
  async getSlowWorkResult<T>(key: unknown, work: () => Promise<T>): Promise<T | undefined> {
    if (!this.#results.has(key) && this.#isLastRun) this.#results.set(key, await work());
    if (this.#results.has(key)) return this.#results.get(key) as T;
    this.#missing.set(key, work);
    return undefined;
  }

  /**
   * Ends the run if a result of slow work is missing.
   *
   * @throws PendingWorkError if a result was missing
   */
  requireSlowWorkResults(): void {
    if (this.#missing.size > 0) throw new PendingWorkError();
  }

  /** Runs a write. If results of slow work were missing, does that work and runs the write again. */
  async runWriteWithSlowWork<T>(write: () => Promise<T>): Promise<T> {
    for (let run = 1; ; run += 1) {
      this.#isLastRun = run >= MAX_WRITE_RUNS;
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof PendingWorkError)) throw error;
      }
      await this.#runMissingWork();
    }
  }

  /**
   * Does the slow work whose results are missing. If one task fails, waits for the other tasks, so that the paths of
   * all stored files are recorded.
   */
  async #runMissingWork(): Promise<void> {
    const missing = [...this.#missing];
    this.#missing.clear();
    const done = await Promise.allSettled(missing.map(async ([key, work]) => this.#results.set(key, await work())));
    for (const each of done) if (each.status === 'rejected') throw each.reason;
  }
}

/**
 * Error that rolls back a transaction because the result of slow work is missing. The transaction runs again after the
 * work is done.
 */
class PendingWorkError extends Error {
  override readonly name = 'PendingWorkError';
}
