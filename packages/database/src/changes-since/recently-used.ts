/** Values by key up to a size in bytes, the least recently used evicted first. */
export class RecentlyUsed<K, V extends { readonly byteLength: number }> {
  /** In the order of their last use. */
  readonly #entries = new Map<K, V>();
  #byteLength = 0;

  constructor(private readonly limitBytes: number) {}

  /** Size of all values. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** Returns a value, which is the most recently used one from then on. */
  use(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Returns a value and leaves the order of use as it is. */
  peek(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** Replaces a value. One that is larger than the limit is not stored. */
  set(key: K, value: V): void {
    this.remove(key);
    if (value.byteLength > this.limitBytes) return;
    this.#entries.set(key, value);
    this.#byteLength += value.byteLength;
    for (const oldest of this.#entries.keys()) {
      if (this.#byteLength <= this.limitBytes) break;
      this.remove(oldest);
    }
  }

  remove(key: K): void {
    this.#byteLength -= this.#entries.get(key)?.byteLength ?? 0;
    this.#entries.delete(key);
  }
}
