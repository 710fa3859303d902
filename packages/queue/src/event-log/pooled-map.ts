/** As many empty values are kept at least, and as many more as others are in use. */
const KEPT = 1_000;

/**
 * Values by keys that come again and again. One that is empty stays, for the key's return, until more are than are in
 * use: a Map that is deleted from and added to makes new tables all the time, which {@link LinkedList} has the price of.
 */
export class PooledMap<K, V> {
  private readonly values = new Map<K, V>();
  private sweepAt = KEPT;

  constructor(
    private readonly make: () => V,
    private readonly isEmpty: (value: V) => boolean,
  ) {}

  find(key: K): V | undefined {
    return this.values.get(key);
  }

  /** Returns the value of a key, creating it if missing. Fill it in the same turn: empty values may be removed. */
  at(key: K): V {
    const known = this.values.get(key);
    if (known !== undefined) return known;
    if (this.values.size >= this.sweepAt) this.sweep();
    const made = this.make();
    this.values.set(key, made);
    return made;
  }

  all(): Iterable<V> {
    return this.values.values();
  }

  private sweep(): void {
    for (const [key, value] of this.values) {
      if (this.isEmpty(value)) this.values.delete(key);
    }
    this.sweepAt = 2 * this.values.size + KEPT;
  }
}
