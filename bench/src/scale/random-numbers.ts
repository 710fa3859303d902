/** Returns a pseudorandom number from 0 (inclusive) to 1 (exclusive) that depends only on the two integers. */
export function computePseudorandomFraction(of: number, salt: number): number {
  let hash = Math.imul(of ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(salt + 1, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
}

/** Returns a pseudorandom integer from 0 to `limit` (exclusive) that depends only on the two integers. */
export function computePseudorandomInteger(of: number, salt: number, limit: number): number {
  return Math.floor(computePseudorandomFraction(of, salt) * limit);
}
