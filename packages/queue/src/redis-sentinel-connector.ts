import { SentinelConnector } from 'ioredis';
import type { RedisServerOptions } from './redis-target.js';
import { isRedisConnection, replaceConnectionMethod } from './replace-connection-method.js';

/** Time limit of a command to a Sentinel, in milliseconds, so that a paused Sentinel does not block a connection. */
const SENTINEL_COMMAND_TIMEOUT_MS = 2_000;

/** Delay before a lost connection to a Sentinel is opened again, in milliseconds. */
const SENTINEL_RECONNECTION_DELAY_MS = 1_000;

/**
 * Connector to the master that Sentinels monitor, without two faults of the connector of ioredis. An announcement of
 * Sentinels during a connection attempt ended the client for ever. Errors of connections to single Sentinels were
 * printed to the standard error output.
 */
class FailoverSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as ConstructorParameters<typeof SentinelConnector>[0]);
    replaceConnectionMethod(this, 'connectToSentinel', (original) => (...args) => {
      const sentinel = original(args);
      if (isRedisConnection(sentinel)) sentinel.on('error', () => undefined);
      return sentinel;
    });
  }

  override connect(...args: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    // The detector still belongs to the former connection, and would abort this attempt. The new connection gets a new
    // one.
    const detector: unknown = Reflect.get(this, 'failoverDetector');
    if (typeof detector === 'object' && detector !== null) callMethod(detector, 'cleanup');
    return super.connect(...args);
  }
}

function callMethod(object: object, name: string): void {
  const method: unknown = Reflect.get(object, name);
  if (typeof method === 'function') Reflect.apply(method, object, []);
}

/**
 * Options of a connection to Redis by Sentinel. When Sentinels announce another master, the connection is replaced. The
 * former master may be paused, or may accept writes for some seconds that are lost afterwards.
 */
export const sentinelFailoverOptions: RedisServerOptions = {
  failoverDetector: true,
  sentinelCommandTimeout: SENTINEL_COMMAND_TIMEOUT_MS,
  sentinelReconnectStrategy: () => SENTINEL_RECONNECTION_DELAY_MS,
  Connector: FailoverSentinelConnector,
};
