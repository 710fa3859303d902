import { createHash } from 'node:crypto';
import type { ConnectionRoute } from './connector.js';
import type { PoolLimits } from './outbound-options.js';
import { RouteSender } from './route-sender.js';

/**
 * Pools of keep-alive connections, one pool for each route. A route contains one checked address, so that reusing its
 * connections needs no new check.
 */
export class ConnectionPools {
  readonly #limits: PoolLimits;
  /** Connection pools by route, in the order of their last use, oldest first. */
  readonly #senders = new Map<string, RouteSender>();

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  /** Returns the connection pool of a route. Creates it if there is none. */
  get(route: ConnectionRoute): RouteSender {
    const key = keyOf(route);
    const sender = this.#senders.get(key) ?? new RouteSender(route, this.#limits);
    this.#senders.delete(key);
    this.#senders.set(key, sender);
    this.#shrink();
    return sender;
  }

  /** Waits for running requests, then closes every connection. */
  async close(): Promise<void> {
    const senders = [...this.#senders.values()];
    this.#senders.clear();
    await Promise.all(senders.map((sender) => sender.close()));
  }

  #shrink(): void {
    for (const [key, sender] of this.#senders) {
      if (this.#senders.size <= this.#limits.maxOrigins) return;
      this.#senders.delete(key);
      // Closing waits for running requests. Their callers receive the failures themselves.
      sender.close().catch(() => undefined);
    }
  }
}

function keyOf(route: ConnectionRoute): string {
  const parts = [route.host, route.port, route.secure, route.address, route.tls, route.proxy, route.timeoutMs];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
