/** Default maximum size of the payloads that one read for operators returns, in bytes. */
export const DEFAULT_MAX_READ_BYTES = 4 * 1024 * 1024;

/** Returns the number of sizes at the start of a list whose sum is at most `maxSize`. */
export function countSizesWithin(maxSize: number, sizes: readonly number[]): number {
  let sum = 0;
  const firstBeyond = sizes.findIndex((size) => (sum += size) > maxSize);
  return firstBeyond < 0 ? sizes.length : firstBeyond;
}

/** Divides items into parts of at most `maxSize`, in their order. A larger item is a part alone. */
export function divideBySize<T>(items: readonly T[], maxSize: number, getSize: (item: T) => number): T[][] {
  const parts: T[][] = [];
  let size = Infinity;
  for (const item of items) {
    const itemSize = getSize(item);
    if (size + itemSize > maxSize) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(item);
    size += itemSize;
  }
  return parts;
}
