/**
 * Notifies all processes of a service of cached credentials that are no longer valid. Implemented by {@link
 * RedisCredentialInvalidations}.
 */
export interface CredentialInvalidations {
  /**
   * Returns true if this process is certain to receive every published invalidation. A cache calls this function at
   * each use, and must not be used while the result is false.
   */
  isConnected(): boolean;
  /** Calls `invalidated` for each received tag, and `lost` as soon as invalidations may be missed. */
  listen(listener: CredentialInvalidationListener): void;
  /**
   * Sends a tag to every process, including this one, to invalidate all cached credentials with the tag. Never rejects:
   * if a process is not reached, its cached credentials expire by age.
   */
  publish(tag: string): Promise<void>;
}

/** Callbacks through which a cache receives invalidations. They must be synchronous and must not throw. */
export interface CredentialInvalidationListener {
  invalidated(tag: string): void;
  lost(): void;
}
