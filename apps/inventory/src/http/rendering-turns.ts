import { setImmediate as nextRound } from 'node:timers/promises';
import { errors } from '../errors.js';

/** Maximum number of template renderings that wait. Each may take about a second, so that this limits the wait. */
const maxWaiting = 10;

/**
 * Runs template renderings one at a time, because a rendering blocks the thread. Each starts in a new round of the
 * event loop, so that other requests run in between.
 */
export class RenderingTurns {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /**
   * Runs a template rendering, or a part of one, after those that wait already.
   *
   * @param isContinued true for a further part of a rendering, which is never rejected
   * @throws AppError UNAVAILABLE if too many are waiting
   */
  async run<T>(render: () => T, { isContinued = false } = {}): Promise<T> {
    if (!isContinued && this.#waiting > maxWaiting) throw errors.create('UNAVAILABLE');
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
