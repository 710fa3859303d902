/**
 * Returns an SQL aggregate that encodes user ids as a bytea value for {@link decodePackedUserIds}. Reading the bytea
 * value takes a third of the time of reading an array.
 *
 * @param id SQL of the user id
 */
export const aggregatePackedUserIdsSql = (id: string): string =>
  `coalesce(string_agg(int4send(${id}), ''::bytea), ''::bytea)`;

/**
 * Decodes the user ids in a value of the SQL aggregate {@link aggregatePackedUserIdsSql}.
 *
 * @returns the user ids in ascending order
 */
export function decodePackedUserIds(bytes: Buffer): Uint32Array {
  const ids = new Uint32Array(bytes.length / 4);
  for (let index = 0; index < ids.length; index += 1) ids[index] = bytes.readUInt32BE(index * 4);
  return ids.sort();
}

/**
 * Merges two ascending lists of ids into one ascending list. Returns the array `one` itself if all ids of `other` are
 * in `one`.
 */
export function mergeSortedIds(one: Uint32Array, other: Uint32Array): Uint32Array {
  const added = subtractSortedIds(other, one);
  if (added.length === 0) return one;
  const union = new Uint32Array(one.length + added.length);
  union.set(one);
  union.set(added, one.length);
  return union.sort();
}

/** Returns the ids of one ascending list that another ascending list does not contain. */
export function subtractSortedIds(ids: Uint32Array, without: Uint32Array): Uint32Array {
  return filterSortedIds(ids, without, false);
}

/** Returns the ids that two ascending lists have in common. */
export function intersectSortedIds(one: Uint32Array, other: Uint32Array): Uint32Array {
  return filterSortedIds(one, other, true);
}

/**
 * Selects ids of one ascending list by comparison with another ascending list. Selects the ids that the other list
 * contains if `isInOther` is true, otherwise the ids that the other list does not contain.
 */
function filterSortedIds(ids: Uint32Array, other: Uint32Array, isInOther: boolean): Uint32Array {
  let at = 0;
  return ids.filter((id) => {
    while (at < other.length && (other[at] ?? 0) < id) at += 1;
    return (other[at] === id) === isInOther;
  });
}
