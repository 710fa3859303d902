import { setImmediate as nextRound } from 'node:timers/promises';

/** Number of list items that are mapped before the event loop can run other work. */
const itemsMappedBetweenPauses = 100;

/**
 * Returns the results of applying a function to the items of a list, in order. The event loop runs after each batch of
 * items, so that a long list does not delay other requests.
 */
export async function mapWithEventLoopPauses<T, R>(
  items: readonly T[],
  map: (item: T, index: number) => R | Promise<R>,
): Promise<R[]> {
  const mapped: R[] = [];
  for (let from = 0; from < items.length; from += itemsMappedBetweenPauses) {
    if (from > 0) await nextRound();
    const slice = items.slice(from, from + itemsMappedBetweenPauses).map((item, index) => map(item, from + index));
    mapped.push(...(await Promise.all(slice)));
  }
  return mapped;
}

/** Returns the JSON text of a list. The event loop runs after each batch of items, as in {@link mapWithEventLoopPauses}. */
export async function stringifyListWithPauses(items: readonly unknown[]): Promise<string> {
  return `[${(await mapWithEventLoopPauses(items, (item) => JSON.stringify(item))).join(',')}]`;
}
