/** Notifies the other processes of a service that credentials changed. {@link RedisInvalidations} is the real one. */
export interface Invalidations {
  /**
   * Whether every invalidation published by any process is sure to arrive here. Read at each use: a cache must not
   * answer from memory while this is false.
   */
  isConnected(): boolean;
  /** Calls `invalidated` for each tag that arrives, and `lost` at the moment arrival stops being sure. */
  listen(listener: InvalidationListener): void;
  /** Notifies every process, including this one. Never rejects: an entry that is not reached expires by age. */
  publish(tag: string): Promise<void>;
}

/** Reactions of a cache to invalidations. Both must be synchronous and must not throw. */
export interface InvalidationListener {
  invalidated(tag: string): void;
  lost(): void;
}
