import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time after which other work of the process gets its turn. */
const sliceMs = 20;

/** Maps a list in slices of time, so that long texts by the thousand do not keep the event loop from other requests. */
export async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  let begun = performance.now();
  for (const item of items) {
    results.push(map(item));
    if (performance.now() - begun < sliceMs) continue;
    await nextTurn();
    begun = performance.now();
  }
  return results;
}
