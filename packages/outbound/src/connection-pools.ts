import { createHash } from 'node:crypto';
import type { ConnectionRoute } from './connect-to-route.js';
import type { ConnectionPoolLimits } from './outbound-options.js';
import { RouteSender } from './route-sender.js';

/**
 * Pools of keep-alive connections, one pool for each route. A route contains one checked IP address, so that a reuse of
 * the route's connections needs no new address check.
 */
export class ConnectionPools {
  readonly #limits: ConnectionPoolLimits;
  /** Connection pools by route, ordered by last use, the least recently used first. */
  readonly #senderByRoute = new Map<string, RouteSender>();

  constructor(limits: ConnectionPoolLimits) {
    this.#limits = limits;
  }

  /** Returns the connection pool of a route. Creates the pool if it does not exist. */
  senderOf(route: ConnectionRoute): RouteSender {
    const key = createRouteKey(route);
    const sender = this.#senderByRoute.get(key) ?? new RouteSender(route, this.#limits);
    this.#senderByRoute.delete(key);
    this.#senderByRoute.set(key, sender);
    this.#closeLeastRecentlyUsed();
    return sender;
  }

  /** Waits for running requests, then closes all connections of all pools. */
  async close(): Promise<void> {
    const senders = [...this.#senderByRoute.values()];
    this.#senderByRoute.clear();
    await Promise.all(senders.map((sender) => sender.close()));
  }

  #closeLeastRecentlyUsed(): void {
    for (const [key, sender] of this.#senderByRoute) {
      if (this.#senderByRoute.size <= this.#limits.maxOrigins) return;
      this.#senderByRoute.delete(key);
      // Closing waits for running requests. Their callers receive the failures themselves.
      sender.close().catch(() => undefined);
    }
  }
}

function createRouteKey(route: ConnectionRoute): string {
  const parts = [route.host, route.port, route.secure, route.address, route.tls, route.proxy, route.timeoutMs];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
