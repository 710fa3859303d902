import { CredentialCache, type CredentialCacheOptions } from '@switchboard/auth';

/** Dependencies of {@link RealmCache}. */
export interface RealmCacheDependencies<T> {
  /** Name of the cache, which separates its entries from those of other caches in the shared credential cache. */
  readonly name: string;
  readonly invalidations: CredentialCacheOptions<CachedRealmValue<T>>['invalidations'];
  /** Clock that returns milliseconds since the epoch. */
  readonly clock: { now(): number };
  /** Loads the cached value for a realm; null if the realm has no value. */
  readonly load: (realmId: number) => Promise<T | null>;
}

interface CachedRealmValue<T> {
  readonly realmId: number;
  readonly value: T;
}

/**
 * Cache of one value per realm, so that sending a message usually needs no statement to read the value. Entries behave
 * like those of {@link CredentialCache}: they are at most 10 s old, removed in every process when invalidated, and not
 * used while invalidations may be lost.
 */
export class RealmCache<T> {
  readonly #cache: CredentialCache<CachedRealmValue<T>>;

  constructor(private readonly parts: RealmCacheDependencies<T>) {
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

  /** Invalidates the realm's cached value in all processes. Call it after the commit of the change. Never rejects. */
  async invalidate(realmId: number): Promise<void> {
    await this.#cache.evictByTag(`${this.parts.name}:${realmId}`);
  }
}
