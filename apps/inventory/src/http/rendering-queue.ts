import { setImmediate as nextRound } from 'node:timers/promises';
import { inventoryErrors } from '../errors.js';

/**
 * Maximum number of template renderings that may run or wait at the same time, including renderings that wait for
 * database rows. The limit bounds the memory that renderings use.
 */
export const maxConcurrentRenderings = 12;

/**
 * Runs the steps of template renderings one after another, because a step blocks the thread. Each step starts in a new
 * round of the event loop, so that other requests run between steps.
 */
export class RenderingQueue {
  #last: Promise<unknown> = Promise.resolve();
  #started = 0;

  /**
   * Runs a whole template rendering. Each step of the rendering waits until earlier steps of all renderings have run.
   *
   * @param rendering function that runs all steps with {@link runRenderingStep}
   * @throws ApplicationError UNAVAILABLE if too many renderings are unfinished
   */
  async runRendering<T>(rendering: () => Promise<T>): Promise<T> {
    if (this.#started >= maxConcurrentRenderings) throw inventoryErrors.create('UNAVAILABLE');
    this.#started += 1;
    try {
      return await rendering();
    } finally {
      this.#started -= 1;
    }
  }

  /** Runs one step of a template rendering, after all steps that are already waiting. */
  async runRenderingStep<T>(render: () => T): Promise<T> {
    const rendered = this.#last.then(() => nextRound()).then(() => render());
    this.#last = rendered.catch(() => undefined);
    return rendered;
  }
}
