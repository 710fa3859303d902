import type { QueueLogger } from '../environment.js';
import type { RedisTarget } from '../redis-target.js';
import { closeRedis, connectRedis, waitForFirstRedisConnection, waitUntilReady } from '../redis.js';
import type { EventLogStoreConnection } from './event-log-store.js';
import { RedisEventLogStore } from './redis-log-store.js';

/** Time in milliseconds after the start of a process during which requests wait for the first connection to Redis. */
const FIRST_CONNECTION_LIMIT_MS = 5_000;

/** Connects an event log to Redis, with keys that begin with `prefix`. */
export function connectEventLogToRedis(
  redis: RedisTarget,
  prefix: string,
  logger: QueueLogger,
): EventLogStoreConnection {
  const commands = connectRedis(redis, 'dispatch', logger);
  const dispatching = connectRedis(redis, 'dispatch', logger);
  const subscriber = connectRedis(redis, 'subscriber', logger);
  const clients = [commands, dispatching, subscriber];
  return {
    store: new RedisEventLogStore(commands, prefix),
    appendStore: new RedisEventLogStore(dispatching, prefix),
    subscriber,
    firstAttempt: waitForFirstRedisConnection(commands, FIRST_CONNECTION_LIMIT_MS),
    onAvailable: (listener) => void dispatching.on('ready', listener),
    confirm: () => Promise.resolve(),
    waitUntilStoreResponds: async (timeoutMs) => {
      await Promise.all(clients.map((client) => waitUntilReady(client, timeoutMs)));
    },
    close: async () => {
      await Promise.all(clients.map((client) => closeRedis(client)));
    },
  };
}
