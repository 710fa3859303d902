// @ts-check

const periodMs = 60_000;
const maxExits = 5;
const firstDelayMs = 250;

/**
 * Decides when a service that has exited is restarted: after growing delays, and not after five exits within a minute.
 */
export class RestartPolicy {
  /** @type {number[]} times of the deaths of the last minute, in milliseconds */
  #deaths = [];

  /**
   * Records an exit of the service.
   *
   * @param {number} now in milliseconds
   * @returns {number | null} delay before the next start in milliseconds, or null if it is not restarted
   */
  recordExit(now) {
    this.#deaths = [...this.#deaths.filter((death) => now - death < periodMs), now];
    const count = this.#deaths.length;
    return count >= maxExits ? null : firstDelayMs * 2 ** (count - 1);
  }
}
