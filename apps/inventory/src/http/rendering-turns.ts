import { setImmediate as nextRound } from 'node:timers/promises';
import { errors } from '../errors.js';

/** Renderings that may wait for others: with the time that each may take, about a second. */
const mostWaiting = 10;

/**
 * Runs template renderings one at a time, each in its own round of the event loop: a rendering blocks the thread, and
 * other requests run in between.
 */
export class RenderingTurns {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /**
   * Runs a rendering, or a part of one, in its turn.
   * @param isContinued true for a further part of a rendering, which is never rejected
   * @throws AppError UNAVAILABLE when too many are waiting
   */
  async run<T>(render: () => T, { isContinued = false } = {}): Promise<T> {
    if (!isContinued && this.#waiting > mostWaiting) throw errors.create('UNAVAILABLE');
    this.#waiting += 1;
    const turn = this.#last.then(() => nextRound());
    const rendered = turn.then(() => render());
    this.#last = rendered.catch(() => undefined);
    try {
      return await rendered;
    } finally {
      this.#waiting -= 1;
    }
  }
}
