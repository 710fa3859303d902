import { setImmediate as nextRound } from 'node:timers/promises';
import { errors } from '../errors.js';

/** Renderings that may wait for others: with the time that each may take, about a second. */
const mostWaiting = 10;

/**
 * Lets renderings of templates run one at a time, each in a round of the event loop of its own: each keeps the thread for
 * its whole time, and other requests are answered between two.
 */
export class RenderingTurns {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /**
   * Runs a rendering, or a part of one, when its turn comes.
   *
   * @param isContinued True for a further part of a rendering, which is never refused.
   *
   * @throws AppError UNAVAILABLE when so many wait already that it would take too long
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
