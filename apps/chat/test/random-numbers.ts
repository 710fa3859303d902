/**
 * Returns a random generator of numbers from 0 (inclusive) to 1 (exclusive). Equal seeds produce equal numbers, and
 * adjacent seeds produce unrelated numbers (SplitMix).
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
 * Returns a random generator of whole numbers from 0 (inclusive) to a bound (exclusive). Equal seeds produce equal
 * numbers.
 */
export function wholeNumbers(seed: number): (bound: number) => number {
  const random = chance(seed);
  return (bound) => Math.floor(random() * bound);
}
