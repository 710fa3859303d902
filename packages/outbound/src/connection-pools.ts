import { createHash } from 'node:crypto';
import { Pool } from 'undici';
import { createConnector, type Route } from './connector.js';

/** Bounds on what is kept open. */
export interface PoolLimits {
  /** Connections to one address of one origin at a time; further requests wait, within their total limit. */
  readonly maxConnectionsPerOrigin: number;
  /** Pools kept; the least recently used one is closed when another is needed. */
  readonly maxOrigins: number;
  /** Milliseconds that an idle connection is kept for the next request. */
  readonly keepAliveMs: number;
}

/**
 * Keep-alive connections, one undici pool per route. A pool is pinned to one checked address, so that using it again
 * needs no new check.
 */
export class ConnectionPools {
  readonly #limits: PoolLimits;
  /** In order of use, oldest first. */
  readonly #pools = new Map<string, Pool>();

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  /** The pool for a route, opened when there is none yet. */
  get(route: Route): Pool {
    const key = keyOf(route);
    const pool = this.#pools.get(key) ?? this.#open(route);
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    this.#shrink();
    return pool;
  }

  /** Lets running requests end, then closes every connection. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.close()));
  }

  #open(route: Route): Pool {
    const host = route.host.includes(':') ? `[${route.host}]` : route.host;
    return new Pool(`${route.secure ? 'https' : 'http'}://${host}:${route.port}`, {
      connect: createConnector(route),
      connections: this.#limits.maxConnectionsPerOrigin,
      keepAliveTimeout: this.#limits.keepAliveMs,
      // Every limit of time is kept by the exchange itself: undici's own timers are coarse.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  #shrink(): void {
    for (const [key, pool] of this.#pools) {
      if (this.#pools.size <= this.#limits.maxOrigins) return;
      this.#pools.delete(key);
      // Closing waits for running requests, whose callers hear of their failures themselves.
      pool.close().catch(() => undefined);
    }
  }
}

function keyOf(route: Route): string {
  const parts = [route.host, route.port, route.secure, route.address, route.tls, route.proxy, route.timeoutMs];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
