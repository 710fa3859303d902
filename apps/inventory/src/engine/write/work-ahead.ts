/** Runs of a write whose slow work changes each time, because others change the same objects. The last one does it inline. */
const MOST_RUNS = 10;

/**
 * Slow work of a write that needs no connection: passwords are hashed and files are stored outside its transaction. The
 * transaction asks for each result. When one is missing it is rolled back, which gives its connection back, the work is
 * done, and the transaction runs again. So only what a write that passed all checks needs is computed. The last run does
 * its work inside the transaction: the row locks keep the work from changing again.
 */
export class WorkAhead {
  readonly #results = new Map<unknown, unknown>();
  readonly #missing = new Map<unknown, () => Promise<unknown>>();
  #isLastRun = false;

  /** Returns the result of the work; undefined if it is not done yet, then it is done before the next run. */
  async take<T>(key: unknown, work: () => Promise<T>): Promise<T | undefined> {
    if (!this.#results.has(key) && this.#isLastRun) this.#results.set(key, await work());
    if (this.#results.has(key)) return this.#results.get(key) as T;
    this.#missing.set(key, work);
    return undefined;
  }

  /** @throws WorkAheadError when a result was missing */
  require(): void {
    if (this.#missing.size > 0) throw new WorkAheadError();
  }

  /** Runs a write, and again as long as work of it was missing, which is done in between. */
  async run<T>(write: () => Promise<T>): Promise<T> {
    for (let run = 1; ; run += 1) {
      this.#isLastRun = run >= MOST_RUNS;
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof WorkAheadError)) throw error;
      }
      await this.#work();
    }
  }

  /** Does missing work. If a part fails, waits for the rest, so that all stored files are known. */
  async #work(): Promise<void> {
    const missing = [...this.#missing];
    this.#missing.clear();
    const done = await Promise.allSettled(missing.map(async ([key, work]) => this.#results.set(key, await work())));
    for (const each of done) if (each.status === 'rejected') throw each.reason;
  }
}

/** Signals that a transaction needs slow work first. */
class WorkAheadError extends Error {
  override readonly name = 'WorkAheadError';
}
