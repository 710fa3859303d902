/** Generator of pseudorandom numbers. Generators with equal seeds return equal numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a pseudorandom number from 0 (inclusive) to 1 (exclusive). The algorithm is mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns a pseudorandom integer from `low` to `high`, both inclusive. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /**
   * Returns a random element of the list.
   *
   * @throws RangeError if `choices` is empty
   */
  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.integer(0, choices.length - 1)];
    if (chosen === undefined) throw new RangeError('nothing to choose from');
    return chosen;
  }

  /**
   * Creates a generator with a new sequence of numbers. Concurrent parts of a test run with separate generators do not
   * affect each other's numbers.
   */
  fork(): Random {
    return new Random(this.integer(0, 0xffff_ffff));
  }
}
