/** Notifies the other processes of a service that credentials changed. Implemented by {@link RedisInvalidations}. */
export interface Invalidations {
  /**
   * Returns true if every published invalidation is certain to arrive in this process. Called at each use: a cache must
   * not be used while this is false.
   */
  isConnected(): boolean;
  /** Calls `invalidated` for each received tag, and `lost` as soon as arrival is no longer certain. */
  listen(listener: InvalidationListener): void;
  /**
   * Notifies every process, including this one. Never rejects: an entry in a process that is not reached expires by
   * age.
   */
  publish(tag: string): Promise<void>;
}

/** Callbacks of a cache for invalidations. They must be synchronous and must not throw. */
export interface InvalidationListener {
  invalidated(tag: string): void;
  lost(): void;
}
