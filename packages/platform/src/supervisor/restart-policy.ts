const deathPeriodMs = 60_000;
const minDeathLimit = 5;
const firstRestartDelayMs = 200;
const maxRestartDelayMs = 5_000;

/** Unexpected end of a process within the last minute. */
interface ProcessDeath {
  /** Time of the process's death, in milliseconds. */
  readonly time: number;
  readonly isCounted: boolean;
}

/**
 * Decides when a process that has died is restarted. The delays grow from 0.2 s to 5 s. After five deaths within a
 * minute, or more for many processes, no process is restarted. `npm start` uses the same policy.
 */
export class RestartPolicy {
  readonly #maxDeaths: number;
  #deaths: readonly ProcessDeath[] = [];

  /**
   * @param processes number of processes. From five processes on, one cause that ends each of them once would reach the
   *   limit. The limit is then twice their number.
   */
  constructor(processes = 1) {
    this.#maxDeaths = processes < minDeathLimit ? minDeathLimit : 2 * processes;
  }

  /**
   * Records the death of a process.
   *
   * @param now time of the death in milliseconds
   * @param options `isCounted`: false for a death that increases the delay, but does not count towards the limit
   *   (default true)
   * @returns delay before the next start in milliseconds, or null if no process is restarted
   */
  recordDeath(now: number, { isCounted = true }: { isCounted?: boolean } = {}): number | null {
    this.#deaths = [...this.#deaths.filter(({ time }) => now - time < deathPeriodMs), { time: now, isCounted }];
    const counted = this.#deaths.filter((death) => death.isCounted).length;
    if (isCounted && counted >= this.#maxDeaths) return null;
    return Math.min(maxRestartDelayMs, firstRestartDelayMs * 3 ** (this.#deaths.length - 1));
  }
}
