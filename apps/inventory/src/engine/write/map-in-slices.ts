import { setImmediate as nextRound } from 'node:timers/promises';

/** Items that are mapped in one round of the event loop. */
const sliceSize = 100;

/** Maps items in their order. The event loop runs after each slice, so that a long list does not delay other requests. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  map: (item: T, index: number) => R | Promise<R>,
): Promise<R[]> {
  const mapped: R[] = [];
  for (let from = 0; from < items.length; from += sliceSize) {
    if (from > 0) await nextRound();
    const slice = items.slice(from, from + sliceSize).map((item, index) => map(item, from + index));
    mapped.push(...(await Promise.all(slice)));
  }
  return mapped;
}

/** The JSON array of items, made as {@link mapInSlices} maps them. */
export async function jsonInSlices(items: readonly unknown[]): Promise<string> {
  return `[${(await mapInSlices(items, (item) => JSON.stringify(item))).join(',')}]`;
}
