/**
 * Minimum number of empty collections that the map retains for reuse. The maximum grows with the number of collections
 * in use.
 */
const MIN_RETAINED_COLLECTIONS = 1_000;

/**
 * Map of collections, for keys that are removed and added again often. An empty collection remains under its key until
 * empty collections outnumber the non-empty collections. A Map with frequent additions and deletions would allocate new
 * tables continually (see {@link LinkedList}).
 */
export class MapWithReusableCollections<K, V> {
  private readonly entries = new Map<K, V>();
  private sweepAt = MIN_RETAINED_COLLECTIONS;

  constructor(
    private readonly createValue: () => V,
    private readonly isEmpty: (value: V) => boolean,
  ) {}

  findCollection(key: K): V | undefined {
    return this.entries.get(key);
  }

  /**
   * Returns the collection of a key, and creates the collection if the key has none. The caller must fill the
   * collection in the same turn of the event loop, because empty collections may be removed.
   */
  getOrCreateCollection(key: K): V {
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    if (this.entries.size >= this.sweepAt) this.removeExcessEmptyCollections();
    const made = this.createValue();
    this.entries.set(key, made);
    return made;
  }

  listCollections(): Iterable<V> {
    return this.entries.values();
  }

  private removeExcessEmptyCollections(): void {
    for (const [key, value] of this.entries) {
      if (this.isEmpty(value)) this.entries.delete(key);
    }
    this.sweepAt = 2 * this.entries.size + MIN_RETAINED_COLLECTIONS;
  }
}
