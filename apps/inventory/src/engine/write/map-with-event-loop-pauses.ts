import { setImmediate as nextRound } from 'node:timers/promises';

/** Number of items that are mapped without a pause. */
const itemsMappedPerTurn = 100;

/**
 * Maps the items of a list in order. Lets the event loop run after each batch, so that a long list does not delay other
 * requests.
 */
export async function mapWithPauses<T, R>(
  items: readonly T[],
  map: (item: T, index: number) => R | Promise<R>,
): Promise<R[]> {
  const mapped: R[] = [];
  for (let from = 0; from < items.length; from += itemsMappedPerTurn) {
    if (from > 0) await nextRound();
    const slice = items.slice(from, from + itemsMappedPerTurn).map((item, index) => map(item, from + index));
    mapped.push(...(await Promise.all(slice)));
  }
  return mapped;
}

/** Returns the JSON text of a list. Lets the event loop run in between, like {@link mapWithPauses}. */
export async function toJsonWithPauses(items: readonly unknown[]): Promise<string> {
  return `[${(await mapWithPauses(items, (item) => JSON.stringify(item))).join(',')}]`;
}
