import { setImmediate as nextRound } from 'node:timers/promises';
import { errors } from '../errors.js';

/** Maximum number of template renderings that have begun, also if they wait for rows. This limits their memory. */
export const maxRenderings = 12;

/**
 * Runs template renderings in turns, because they block the thread. Each turn starts in a new round of the event loop,
 * so that other requests run in between.
 */
export class RenderingTurns {
  #last: Promise<unknown> = Promise.resolve();
  #started = 0;

  /**
   * Runs a whole template rendering, of which each part takes a turn.
   *
   * @param rendering function that renders all parts with {@link turn}
   * @throws AppError UNAVAILABLE if too many renderings have not ended
   */
  async run<T>(rendering: () => Promise<T>): Promise<T> {
    if (this.#started >= maxRenderings) throw errors.create('UNAVAILABLE');
    this.#started += 1;
    try {
      return await rendering();
    } finally {
      this.#started -= 1;
    }
  }

  /** Runs a part of a template rendering, after those that wait already. */
  async turn<T>(render: () => T): Promise<T> {
    const rendered = this.#last.then(() => nextRound()).then(() => render());
    this.#last = rendered.catch(() => undefined);
    return rendered;
  }
}
