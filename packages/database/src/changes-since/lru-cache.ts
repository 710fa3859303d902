/** Cache of values by key whose total size in bytes is limited. The least recently used values are evicted first. */
export class LeastRecentlyUsedCache<K, V extends { readonly byteLength: number }> {
  /** Cached values in the order of their last use, the least recently used first. */
  readonly #entries = new Map<K, V>();
  #byteLength = 0;

  constructor(private readonly limitBytes: number) {}

  /** Total size of all cached values, in bytes. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** Returns a cached value, or undefined if the key has none. Makes the value the most recently used. */
  getAndMarkRecentlyUsed(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Returns a cached value, or undefined if the key has none. Does not change the order of use. */
  getWithoutMarkingUsed(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /**
   * Caches a value under a key, and replaces an earlier value of the key. A value larger than the cache's limit is not
   * stored.
   */
  setCachedValue(key: K, value: V): void {
    this.removeCachedValue(key);
    if (value.byteLength > this.limitBytes) return;
    this.#entries.set(key, value);
    this.#byteLength += value.byteLength;
    for (const oldest of this.#entries.keys()) {
      if (this.#byteLength <= this.limitBytes) break;
      this.removeCachedValue(oldest);
    }
  }

  removeCachedValue(key: K): void {
    this.#byteLength -= this.#entries.get(key)?.byteLength ?? 0;
    this.#entries.delete(key);
  }
}
