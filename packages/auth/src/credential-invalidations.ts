/**
 * Notifies all processes of a service about cached credentials that are no longer valid. The interface is implemented
 * by {@link RedisCredentialInvalidationNotifier}.
 */
export interface CredentialInvalidationNotifier {
  /**
   * Returns true if this process is certain to receive every published invalidation. A cache calls this function at
   * each use, and must not be used while the result is false.
   */
  isConnected(): boolean;
  /**
   * Registers a listener. Its callback `invalidated` is called for each received tag, and `lost` as soon as this
   * process may miss invalidations.
   */
  listen(listener: CredentialInvalidationListener): void;
  /**
   * Sends a tag to every process, including this one, to invalidate all cached credentials with the tag. The promise is
   * never rejected. If the tag does not reach a process, the cached credentials of that process expire by age.
   */
  publish(tag: string): Promise<void>;
}

/**
 * Callbacks through which a cache receives invalidations. The callbacks must be synchronous and must not throw errors.
 */
export interface CredentialInvalidationListener {
  invalidated(tag: string): void;
  lost(): void;
}
