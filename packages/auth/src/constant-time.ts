import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

// Random key for hashing both texts, so that the duration depends on neither their content nor their length.
const textComparisonHmacKey = randomBytes(32);

/**
 * Returns true if two texts are equal. The duration of the comparison reveals neither the position of a difference nor
 * the lengths of the texts.
 */
export function areTextsEqualInConstantTime(left: string, right: string): boolean {
  return timingSafeEqual(computeComparisonDigest(left), computeComparisonDigest(right));
}

function computeComparisonDigest(text: string): Buffer {
  return createHmac('sha256', textComparisonHmacKey).update(text, 'utf8').digest();
}
