import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time in milliseconds after which the event loop can continue with other work. */
const maxSliceMs = 20;

/**
 * Maps the items of a list. Lets the event loop run other work every few milliseconds, so that thousands of long texts
 * do not block it.
 */
export async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  let begun = performance.now();
  for (const item of items) {
    results.push(map(item));
    if (performance.now() - begun < maxSliceMs) continue;
    await nextTurn();
    begun = performance.now();
  }
  return results;
}
