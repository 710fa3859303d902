import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type ClusterNode } from 'ioredis';
import type { RedisClusterTarget } from './redis-target.js';

/** Time limit for the orderly close of a Redis connection, in milliseconds. Afterwards the connection is destroyed. */
const REDIS_DISCONNECT_TIMEOUT_MS = 2_000;

/**
 * Returns a connector to any node of a Redis cluster. Each connection attempt uses the next node, so that an
 * unreachable node costs only one attempt.
 */
export function createAnyClusterNodeConnector({ nodes, nodeOptions }: RedisClusterTarget): new () => AbstractConnector {
  const addresses = nodes.map(toRedisNodeAddress);
  let next = Math.floor(Math.random() * addresses.length);
  return class extends AbstractConnector {
    constructor() {
      super(REDIS_DISCONNECT_TIMEOUT_MS);
    }

    override async connect(): Promise<AbstractConnector['stream']> {
      this.connecting = true;
      const address = addresses[next % addresses.length] ?? { host: '127.0.0.1', port: 6379 };
      next += 1;
      this.stream = nodeOptions?.tls ? connectTls({ ...address, ...nodeOptions.tls }) : connectPlain(address);
      this.stream.once('error', (error: Error) => {
        this.firstError = error;
      });
      return this.stream;
    }
  };
}

function toRedisNodeAddress(node: ClusterNode): { host: string; port: number } {
  if (typeof node === 'number') return { host: '127.0.0.1', port: node };
  if (typeof node !== 'string') return { host: node.host ?? '127.0.0.1', port: node.port ?? 6379 };
  const { hostname, port } = new URL(node.includes('://') ? node : `redis://${node}`);
  return { host: hostname, port: port === '' ? 6379 : Number(port) };
}
