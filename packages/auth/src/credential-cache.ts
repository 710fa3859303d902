import type { Invalidations } from './invalidations.js';

/**
 * Upper limit of the age of an entry, regardless of the configuration: the promise to operators who revoke a
 * credential.
 */
const longestAgeMs = 10_000;

/** Settings of a {@link CredentialCache}. */
export interface CredentialCacheOptions<A> {
  readonly invalidations: Invalidations;
  /** Milliseconds since the epoch. */
  readonly clock: { now(): number };
  /**
   * Tags that an entry depends on, for example `user:12` and `realm:1`. Everything whose change must be seen at once
   * needs a tag here and an {@link CredentialCache.invalidate} after the commit that changes it.
   */
  tagsOf(actor: A): readonly string[];
  /** Maximum number of entries; the least recently used is evicted first. Default 10,000. */
  readonly maxEntries?: number;
  /** Age in milliseconds at which an entry expires: 1 to 10,000, the default. */
  readonly maxAgeMs?: number;
}

interface Entry<A> {
  readonly actor: A;
  readonly tags: readonly string[];
  /** When its load began, because that is the moment its content was true. */
  readonly loadedAt: number;
}

/**
 * Remembers for a few seconds whom a credential belongs to, so that a busy client costs no lookup a request.
 *
 * - An entry answers at most 10 s after its load began, and is gone in every process once its tag is invalidated.
 * - While invalidations are not sure to arrive, nothing is answered from memory, shared or stored: every call loads.
 * - One load per credential at a time; its failure reaches all who wait and is not remembered.
 * - "Nobody" (null) is never remembered, so that a credential made just now works just now.
 * - A load that began before an invalidation is not stored after it, and later callers do not join it.
 */
export class CredentialCache<A extends object> {
  readonly #options: CredentialCacheOptions<A>;
  readonly #maxEntries: number;
  readonly #maxAgeMs: number;
  /** In order of use, oldest first: a Map keeps insertion order. */
  readonly #entries = new Map<string, Entry<A>>();
  readonly #digestsByTag = new Map<string, Set<string>>();
  readonly #loads = new Map<string, Promise<A | null>>();
  /** Rises with each invalidation and each lost connection: a load stores only in the epoch it began in. */
  #epoch = 0;

  /** @throws RangeError when an age beyond 10 s or a size below 1 is asked for. */
  constructor(options: CredentialCacheOptions<A>) {
    this.#options = options;
    this.#maxEntries = options.maxEntries ?? 10_000;
    this.#maxAgeMs = options.maxAgeMs ?? longestAgeMs;
    if (!(this.#maxAgeMs > 0 && this.#maxAgeMs <= longestAgeMs)) {
      throw new RangeError(`maxAgeMs must be above 0 and at most ${longestAgeMs}`);
    }
    if (!(this.#maxEntries >= 1)) throw new RangeError('maxEntries must be at least 1');
    options.invalidations.listen({ invalidated: (tag) => this.#forget(tag), lost: () => this.#forgetAll() });
  }

  /** Number of entries, including expired ones that are not evicted yet. For a gauge. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Returns the actor of a credential, from memory or by `load`; null if unknown.
   * @param credentialDigest digest of the complete credential, never the credential itself
   * @throws errors of `load`
   */
  async get(credentialDigest: string, load: () => Promise<A | null>): Promise<A | null> {
    if (!this.#options.invalidations.isConnected()) return load();
    const known = this.#fresh(credentialDigest);
    if (known) return known;
    const running = this.#loads.get(credentialDigest);
    if (running) return running;
    const started = this.#loadAndStore(credentialDigest, load);
    this.#loads.set(credentialDigest, started);
    try {
      return await started;
    } finally {
      // An invalidation may have let a later load take this place.
      if (this.#loads.get(credentialDigest) === started) this.#loads.delete(credentialDigest);
    }
  }

  /**
   * Evicts all entries of a tag, here immediately and in other processes when Redis delivers the message. Call it after
   * the commit: before it, another load could cache the old state. Never rejects.
   */
  async invalidate(tag: string): Promise<void> {
    this.#forget(tag);
    await this.#options.invalidations.publish(tag);
  }

  #fresh(digest: string): A | null {
    const entry = this.#entries.get(digest);
    if (!entry) return null;
    this.#remove(digest, entry);
    const age = this.#options.clock.now() - entry.loadedAt;
    // A negative age means that the clock was set back: nobody knows how old the entry is.
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
      this.#shrink();
    }
    return actor;
  }

  #add(digest: string, entry: Entry<A>): void {
    this.#entries.set(digest, entry);
    for (const tag of entry.tags) {
      const digests = this.#digestsByTag.get(tag);
      if (digests) digests.add(digest);
      else this.#digestsByTag.set(tag, new Set([digest]));
    }
  }

  #remove(digest: string, entry: Entry<A>): void {
    this.#entries.delete(digest);
    for (const tag of entry.tags) {
      const digests = this.#digestsByTag.get(tag);
      digests?.delete(digest);
      if (digests?.size === 0) this.#digestsByTag.delete(tag);
    }
  }

  #shrink(): void {
    for (const [digest, entry] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries) return;
      this.#remove(digest, entry);
    }
  }

  #forget(tag: string): void {
    // What a running load will find is not known yet, so none of them may be kept or joined.
    this.#epoch += 1;
    this.#loads.clear();
    for (const digest of this.#digestsByTag.get(tag) ?? []) {
      const entry = this.#entries.get(digest);
      if (entry) this.#remove(digest, entry);
    }
  }

  #forgetAll(): void {
    this.#epoch += 1;
    this.#loads.clear();
    this.#entries.clear();
    this.#digestsByTag.clear();
  }
}
