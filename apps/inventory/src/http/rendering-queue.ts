import { setImmediate as nextRound } from 'node:timers/promises';
import { inventoryErrors } from '../errors.js';

/**
 * Maximum number of unfinished template renderings, including those that wait for database rows. The number limits the
 * memory of renderings.
 */
export const maxConcurrentRenderings = 12;

/**
 * Runs template renderings in turns, because they block the thread. Each turn starts in a new round of the event loop,
 * so that other requests run in between.
 */
export class RenderingQueue {
  #last: Promise<unknown> = Promise.resolve();
  #started = 0;

  /**
   * Runs a whole template rendering. Each step of the rendering waits for its turn.
   *
   * @param rendering function that runs all steps with {@link runStep}
   * @throws AppError UNAVAILABLE if there are too many unfinished renderings
   */
  async run<T>(rendering: () => Promise<T>): Promise<T> {
    if (this.#started >= maxConcurrentRenderings) throw inventoryErrors.create('UNAVAILABLE');
    this.#started += 1;
    try {
      return await rendering();
    } finally {
      this.#started -= 1;
    }
  }

  /** Runs one step of a template rendering, after all steps that are already waiting. */
  async runStep<T>(render: () => T): Promise<T> {
    const rendered = this.#last.then(() => nextRound()).then(() => render());
    this.#last = rendered.catch(() => undefined);
    return rendered;
  }
}
