/**
 * Returns an SQL aggregate that packs user ids into a bytea for {@link readUserIds}. Reading the packed form takes a
 * third of the time of reading an array.
 *
 * @param id SQL of the user id
 */
export const packedUserIdSets = (id: string): string => `coalesce(string_agg(int4send(${id}), ''::bytea), ''::bytea)`;

/**
 * Unpacks the user ids of a {@link packedUserIdSets} value.
 *
 * @returns the ids, ascending
 */
export function readUserIds(bytes: Buffer): Uint32Array {
  const ids = new Uint32Array(bytes.length / 4);
  for (let index = 0; index < ids.length; index += 1) ids[index] = bytes.readUInt32BE(index * 4);
  return ids.sort();
}

/** Merges two ascending lists of ids. Returns `one` itself if `other` adds no id. */
export function mergeSortedIds(one: Uint32Array, other: Uint32Array): Uint32Array {
  const added = subtractSortedIds(other, one);
  if (added.length === 0) return one;
  const union = new Uint32Array(one.length + added.length);
  union.set(one);
  union.set(added, one.length);
  return union.sort();
}

/** Returns the ids of an ascending list that are not in another ascending list. */
export function subtractSortedIds(ids: Uint32Array, without: Uint32Array): Uint32Array {
  return filterSortedIds(ids, without, false);
}

/** Returns the ids that are in both of two ascending lists. */
export function intersectSortedIds(one: Uint32Array, other: Uint32Array): Uint32Array {
  return filterSortedIds(one, other, true);
}

/**
 * Selects ids of an ascending list: the ids that are in another ascending list if `isInOther` is true, otherwise the
 * ids that are not.
 */
function filterSortedIds(ids: Uint32Array, other: Uint32Array, isInOther: boolean): Uint32Array {
  let at = 0;
  return ids.filter((id) => {
    while (at < other.length && (other[at] ?? 0) < id) at += 1;
    return (other[at] === id) === isInOther;
  });
}
