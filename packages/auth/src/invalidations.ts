/**
 * Sends to all processes of a service which cached credentials are invalid. Implemented by {@link RedisInvalidations}.
 */
export interface Invalidations {
  /**
   * Returns true if this process is certain to receive every published invalidation. Caches check it at each use, and
   * must not be used while it is false.
   */
  isConnected(): boolean;
  /** Calls `invalidated` for each received tag, and `lost` as soon as invalidations may be missed. */
  listen(listener: InvalidationListener): void;
  /**
   * Sends a tag to every process, including this one, to invalidate what has it. Never rejects: if a process is not
   * reached, its cached credentials expire by age.
   */
  publish(tag: string): Promise<void>;
}

/** Callbacks through which a cache receives invalidations. They must be synchronous and must not throw. */
export interface InvalidationListener {
  invalidated(tag: string): void;
  lost(): void;
}
