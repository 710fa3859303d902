import { createOverloadedError } from '../../errors.js';

/**
 * Maximum number of image operations that run concurrently. Each operation occupies a thread of Node's thread pool,
 * which has four threads by default. Password hashing, DNS lookups and file access also use the pool.
 */
const maxConcurrentOperations = 2;

/** Queue that runs a few image operations concurrently. Further operations wait in the order of arrival. */
export class ImageOperationQueue {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param maxWaiting Maximum number of waiting operations. */
  constructor(private readonly maxWaiting: number) {}

  /**
   * Runs an image operation.
   *
   * @throws ApplicationError SERVICE_UNAVAILABLE if too many operations are already waiting
   */
  async runImageOperation<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#running === maxConcurrentOperations) await this.#waitForTurn();
    else this.#running += 1;
    try {
      return await operation();
    } finally {
      // The first waiting operation takes over the slot directly, so that no later operation overtakes it.
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
