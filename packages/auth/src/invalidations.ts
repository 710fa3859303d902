/** Notifies the other processes of a service that credentials changed. Implemented by {@link RedisInvalidations}. */
export interface Invalidations {
  /**
   * Returns true if this process is certain to receive every published invalidation. Caches check it at each use, and
   * must not be used while it is false.
   */
  isConnected(): boolean;
  /** Calls `invalidated` for each received tag, and `lost` as soon as invalidations may be missed. */
  listen(listener: InvalidationListener): void;
  /**
   * Notifies every process, including this one. Never rejects: if a process is not reached, its entry expires by age.
   */
  publish(tag: string): Promise<void>;
}

/** Callbacks through which a cache receives invalidations. They must be synchronous and must not throw. */
export interface InvalidationListener {
  invalidated(tag: string): void;
  lost(): void;
}
