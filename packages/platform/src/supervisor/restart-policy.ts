const periodMs = 60_000;
const maxDeaths = 5;
const firstDelayMs = 200;
const maxDelayMs = 5_000;

/**
 * Decides when a process that has died is started again: after growing delays of 0.2 to 5 s, and not after five deaths
 * within a minute. `npm start` uses it too.
 */
export class RestartPolicy {
  /** Times of the deaths of the last minute, in milliseconds. */
  #deaths: readonly number[] = [];

  /**
   * Records the death of a process.
   *
   * @param now time of the death in milliseconds
   * @returns delay before the next start in milliseconds, or null if no process is started again
   */
  recordDeath(now: number): number | null {
    this.#deaths = [...this.#deaths.filter((death) => now - death < periodMs), now];
    const count = this.#deaths.length;
    return count >= maxDeaths ? null : Math.min(maxDelayMs, firstDelayMs * 3 ** (count - 1));
  }
}
