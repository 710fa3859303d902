import type { CredentialInvalidationNotifier } from './credential-invalidations.js';

/**
 * Maximum age of a cached credential in milliseconds, regardless of the configuration. After this time, a revoked
 * credential no longer works in any process.
 */
const maxCachedCredentialAgeMs = 10_000;

/** Options of {@link CredentialCache}. Within `maxAgeMs`, a lost invalidation can leave a revoked credential usable. */
export interface CredentialCacheOptions<A> {
  readonly invalidations: CredentialInvalidationNotifier;
  /** Clock that returns milliseconds since the epoch. */
  readonly clock: { now(): number };
  /**
   * Returns the tags of a cached actor, for example `user:12` and `realm:1`. Every change that must take effect
   * immediately needs a tag, and a call of {@link CredentialCache.evictByTag} after the commit of the change.
   */
  tagsOf(actor: A): readonly string[];
  /** Maximum number of cached credentials; the least recently used is evicted first. Default 10,000. */
  readonly maxEntries?: number;
  /** Age in milliseconds at which a cached credential expires: 1 to 10,000. Default 10,000. */
  readonly maxAgeMs?: number;
}

interface CredentialCacheEntry<A> {
  readonly actor: A;
  readonly tags: readonly string[];
  /**
   * Time at which the load of the cached actor began, in milliseconds since the epoch. The cached data was correct at
   * this time or later.
   */
  readonly loadedAt: number;
}

/**
 * Caches the authenticated accounts (actors) of credentials for a few seconds, so that a busy client causes no database
 * lookup per request.
 *
 * - A cached actor is used for at most 10 s after its load began. The entry is removed in every process when one of its
 *   tags is invalidated.
 * - While the delivery of invalidations is not guaranteed, nothing is cached, and calls do not share loads: every call
 *   loads the actor.
 * - One load per credential runs at a time. If the load fails, all waiting calls are rejected, and the failure is not
 *   cached.
 * - A null result is never cached, so that a new credential works immediately.
 * - The result of a load that began before an invalidation is not stored, and later calls do not join that load.
 */
export class CredentialCache<A extends object> {
  readonly #options: CredentialCacheOptions<A>;
  readonly #maxEntries: number;
  readonly #maxAgeMs: number;
  /** Cached actors in order of use, oldest first (a Map preserves insertion order). */
  readonly #entries = new Map<string, CredentialCacheEntry<A>>();
  readonly #digestsByTag = new Map<string, Set<string>>();
  readonly #loads = new Map<string, Promise<A | null>>();
  /**
   * Number that increases with each invalidation and each lost connection. The result of a load is cached only if the
   * number has not changed since the load began.
   */
  #epoch = 0;

  /**
   * Creates a credential cache. @throws RangeError if the maximum age is above 10 s or the maximum number of entries is
   *   below 1
   */
  constructor(options: CredentialCacheOptions<A>) {
    this.#options = options;
    this.#maxEntries = options.maxEntries ?? 10_000;
    this.#maxAgeMs = options.maxAgeMs ?? maxCachedCredentialAgeMs;
    if (!(this.#maxAgeMs > 0 && this.#maxAgeMs <= maxCachedCredentialAgeMs)) {
      throw new RangeError(`maxAgeMs must be above 0 and at most ${maxCachedCredentialAgeMs}`);
    }
    if (!(this.#maxEntries >= 1)) throw new RangeError('maxEntries must be at least 1');
    options.invalidations.listen({ invalidated: (tag) => this.#evict(tag), lost: () => this.#evictAll() });
  }

  /** Number of cached credentials, including expired ones that are not evicted yet. */
  get credentialCount(): number {
    return this.#entries.size;
  }

  /**
   * Returns true if a credential with the tag is cached. The credential was correct when it was loaded, and no
   * invalidation of the tag has arrived since then.
   */
  hasCredential(tag: string): boolean {
    return this.#options.invalidations.isConnected() && this.#digestsByTag.has(tag);
  }

  /**
   * Returns the actor of a credential from the cache, or from `load` if the cache has no valid entry. Returns null if
   * the credential is unknown.
   *
   * @param credentialDigest digest of the complete credential, never the credential itself
   * @throws errors of `load`
   */
  async getOrLoadActor(credentialDigest: string, load: () => Promise<A | null>): Promise<A | null> {
    if (!this.#options.invalidations.isConnected()) return load();
    const known = this.findActor(credentialDigest);
    if (known) return known;
    const running = this.#loads.get(credentialDigest);
    if (running) return running;
    const started = this.#loadAndStore(credentialDigest, load);
    this.#loads.set(credentialDigest, started);
    try {
      return await started;
    } finally {
      // After an invalidation, a later load may have replaced this one.
      if (this.#loads.get(credentialDigest) === started) this.#loads.delete(credentialDigest);
    }
  }

  /**
   * Returns the cached actor of a credential. Returns null if the credential is not cached, if its entry has expired, or
   * while the delivery of invalidations is not guaranteed.
   *
   * @param credentialDigest digest of the complete credential, never the credential itself
   */
  findActor(credentialDigest: string): A | null {
    return this.#options.invalidations.isConnected() ? this.#findUnexpired(credentialDigest) : null;
  }

  /**
   * Evicts all cached credentials with a tag: in this process immediately, in other processes when Redis delivers the
   * message. The caller must call this function after the commit of the change, because an earlier load could cache the
   * old state. The promise is never rejected.
   */
  async evictByTag(tag: string): Promise<void> {
    this.#evict(tag);
    await this.#options.invalidations.publish(tag);
  }

  #findUnexpired(digest: string): A | null {
    const entry = this.#entries.get(digest);
    if (!entry) return null;
    this.#remove(digest, entry);
    const age = this.#options.clock.now() - entry.loadedAt;
    // A negative age means that the clock was set back, so the age of the entry is unknown.
    if (age < 0 || age >= this.#maxAgeMs) return null;
    this.#add(digest, entry);
    return entry.actor;
  }

  async #loadAndStore(digest: string, load: () => Promise<A | null>): Promise<A | null> {
    const epoch = this.#epoch;
    const loadedAt = this.#options.clock.now();
    const actor = await load();
    const undisturbed = epoch === this.#epoch && this.#options.invalidations.isConnected();
    if (actor && undisturbed) {
      this.#add(digest, { actor, tags: this.#options.tagsOf(actor), loadedAt });
      this.#evictBeyondLimit();
    }
    return actor;
  }

  #add(digest: string, entry: CredentialCacheEntry<A>): void {
    this.#entries.set(digest, entry);
    for (const tag of entry.tags) {
      const digests = this.#digestsByTag.get(tag);
      if (digests) digests.add(digest);
      else this.#digestsByTag.set(tag, new Set([digest]));
    }
  }

  #remove(digest: string, entry: CredentialCacheEntry<A>): void {
    this.#entries.delete(digest);
    for (const tag of entry.tags) {
      const digests = this.#digestsByTag.get(tag);
      digests?.delete(digest);
      if (digests?.size === 0) this.#digestsByTag.delete(tag);
    }
  }

  #evictBeyondLimit(): void {
    for (const [digest, entry] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries) return;
      this.#remove(digest, entry);
    }
  }

  #evict(tag: string): void {
    // The tags of a running load are not known yet, so no running load may be stored or joined.
    this.#epoch += 1;
    this.#loads.clear();
    for (const digest of this.#digestsByTag.get(tag) ?? []) {
      const entry = this.#entries.get(digest);
      if (entry) this.#remove(digest, entry);
    }
  }

  #evictAll(): void {
    this.#epoch += 1;
    this.#loads.clear();
    this.#entries.clear();
    this.#digestsByTag.clear();
  }
}
