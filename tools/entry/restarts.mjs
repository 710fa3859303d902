// @ts-check

const periodMs = 60_000;
const mostDeaths = 5;
const firstDelayMs = 250;

/** Decides how often a service that dies is started again: with growing delays, and not after five deaths in a minute. */
export class Restarts {
  /** @type {number[]} times of the deaths of the last minute, in milliseconds */
  #deaths = [];

  /**
   * Records a death.
   * @param {number} now in milliseconds
   * @returns {number | null} delay before the next start in milliseconds, or null to give up
   */
  died(now) {
    this.#deaths = [...this.#deaths.filter((death) => now - death < periodMs), now];
    const count = this.#deaths.length;
    return count >= mostDeaths ? null : firstDelayMs * 2 ** (count - 1);
  }
}
