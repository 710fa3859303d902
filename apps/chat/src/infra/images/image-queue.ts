import { createOverloadedError } from '../../errors.js';

/**
 * Number of image operations that run at the same time. Each occupies a thread of Node's thread pool, which password
 * hashing, DNS lookups and files use as well. It has four threads by default.
 */
const maxConcurrentOperations = 2;

/** Runs a few image operations at a time. Others wait in the order of their arrival. */
export class ImageQueue {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param maxWaiting Maximum number of waiting operations. */
  constructor(private readonly maxWaiting: number) {}

  /**
   * Runs an image operation.
   *
   * @throws AppError SERVICE_UNAVAILABLE when too many operations wait already
   */
  async run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#running === maxConcurrentOperations) await this.#waitForTurn();
    else this.#running += 1;
    try {
      return await operation();
    } finally {
      // The first waiting operation takes over the slot directly, so that no later one overtakes it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #waitForTurn(): Promise<void> {
    if (this.#waiting.length >= this.maxWaiting) throw createOverloadedError();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
