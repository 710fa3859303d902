/**
 * Returns a generator of numbers from 0 to below 1. The same seed gives the same numbers; neighboring seeds give
 * unrelated numbers (SplitMix).
 */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e37_79b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0_aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns a generator of whole numbers from 0 (inclusive) to a bound (exclusive). The same seed gives the same numbers.
 */
export function wholeNumbers(seed: number): (bound: number) => number {
  const random = chance(seed);
  return (bound) => Math.floor(random() * bound);
}
