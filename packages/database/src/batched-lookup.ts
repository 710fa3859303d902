/** Limits of a {@link BatchedKeyLookup}. */
export interface BatchedKeyLookupLimits {
  /** Maximum number of keys in one call of the lookup function. Default 500. */
  readonly maxKeys?: number;
  /** Maximum number of concurrent calls of the lookup function. Default 2. */
  readonly maxConcurrentCalls?: number;
}

interface WaitingKeyLookup<K, R> {
  readonly key: K;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines lookups of single keys into calls of a lookup function with many keys. A call includes the keys that were
 * requested in one iteration of the event loop. While the maximum number of calls is running, requested keys wait for
 * the next call. A call starts after all its keys were requested. The results are therefore as current as results of
 * separate calls.
 */
export class BatchedKeyLookup<K, R> {
  readonly #lookUp: (keys: readonly K[]) => Promise<readonly R[]>;
  readonly #maxKeys: number;
  readonly #maxConcurrentCalls: number;
  #pendingKeys: WaitingKeyLookup<K, R>[] = [];
  #runningCalls = 0;
  #isScheduled = false;

  /**
   * @param lookUp returns one result for each key, in the order of the keys; its error reaches all callers of the batch
   */
  constructor(
    lookUp: (keys: readonly K[]) => Promise<readonly R[]>,
    { maxKeys = 500, maxConcurrentCalls = 2 }: BatchedKeyLookupLimits = {},
  ) {
    this.#lookUp = lookUp;
    this.#maxKeys = maxKeys;
    this.#maxConcurrentCalls = maxConcurrentCalls;
  }

  /**
   * Returns the result of the lookup for a key.
   *
   * @throws Error of the lookup function
   */
  lookUp(key: K): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#pendingKeys.push({ key, resolve, reject });
      this.#scheduleBatch();
    });
  }

  #scheduleBatch(): void {
    if (this.#isScheduled || this.#pendingKeys.length === 0 || this.#runningCalls >= this.#maxConcurrentCalls) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#lookUpBatch(this.#pendingKeys.splice(0, this.#maxKeys));
      this.#scheduleBatch();
    });
  }

  async #lookUpBatch(batch: readonly WaitingKeyLookup<K, R>[]): Promise<void> {
    this.#runningCalls += 1;
    try {
      const results = await this.#lookUp(batch.map(({ key }) => key));
      if (results.length !== batch.length) throw new TypeError(`${results.length} results for ${batch.length} keys`);
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#runningCalls -= 1;
      this.#scheduleBatch();
    }
  }
}
