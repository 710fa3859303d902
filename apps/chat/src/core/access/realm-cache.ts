import { CredentialCache, type CredentialCacheOptions } from '@switchboard/auth';

/** Objects and values that {@link PerRealmValueCache} receives from its caller. */
export interface PerRealmValueCacheDependencies<T> {
  /**
   * Name of the cache. The name separates the entries of this cache from the entries of other caches in the shared
   * credential cache.
   */
  readonly name: string;
  readonly invalidations: CredentialCacheOptions<CachedRealmValue<T>>['invalidations'];
  /** Clock of the cache, which returns milliseconds since the epoch. */
  readonly clock: { now(): number };
  /** Reads a realm's value for the cache; resolves to null if the realm has no value. */
  readonly load: (realmId: number) => Promise<T | null>;
}

interface CachedRealmValue<T> {
  readonly realmId: number;
  readonly value: T;
}

/**
 * Cache of one value per realm, so that sending a message usually needs no statement to read the value. Entries behave
 * like the entries of {@link CredentialCache}: every entry is at most 10 s old. An invalidation removes the entry in
 * every process, and no entry is used while invalidations may be lost.
 */
export class PerRealmValueCache<T> {
  readonly #cache: CredentialCache<CachedRealmValue<T>>;

  constructor(private readonly parts: PerRealmValueCacheDependencies<T>) {
    const { name, invalidations, clock } = parts;
    this.#cache = new CredentialCache<CachedRealmValue<T>>({
      invalidations,
      clock,
      tagsOf: ({ realmId }) => [`${name}:${realmId}`],
      maxEntries: 1000,
    });
  }

  async get(realmId: number): Promise<T | null> {
    const entry = await this.#cache.getOrLoadActor(String(realmId), async () => {
      const value = await this.parts.load(realmId);
      return value === null ? null : { realmId, value };
    });
    return entry?.value ?? null;
  }

  /**
   * Invalidates the realm's cached value in all processes. Must be called after the commit of the change. The returned
   * promise never rejects.
   */
  async invalidate(realmId: number): Promise<void> {
    await this.#cache.evictByTag(`${this.parts.name}:${realmId}`);
  }
}
