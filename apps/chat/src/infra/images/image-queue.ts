import { overloaded } from '../../errors.js';

/**
 * Image operations that run at the same time. Each occupies a thread of the pool that password hashes, DNS lookups and
 * files need as well; the pool has four threads unless the environment says otherwise.
 */
const concurrent = 2;

/** Runs image operations, a few at a time; others wait in the order in which they came. */
export class ImageQueue {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param maxWaiting Most operations that wait. */
  constructor(private readonly maxWaiting: number) {}

  /** @throws AppError SERVICE_UNAVAILABLE when too many operations wait already */
  async run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#running === concurrent) await this.#turn();
    else this.#running += 1;
    try {
      return await operation();
    } finally {
      // The operation that waits longest takes over the place, so that none that comes now overtakes it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.maxWaiting) throw overloaded();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
