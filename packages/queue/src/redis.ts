import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import { createAnyClusterNodeConnector } from './redis-cluster-connector.js';
import { formatErrorText, type QueueLogger } from './environment.js';
import { hideRedisEvictionPolicy } from './hide-eviction-policy.js';
import { reconnectUnresponsiveSubscriber } from './reconnect-unresponsive-subscriber.js';
import { sentinelFailoverOptions } from './redis-sentinel-connector.js';
import type { RedisClusterTarget, RedisTarget, RedisServerOptions } from './redis-target.js';
import { parseRedisUrl } from './redis-url.js';

/** Connection to a Redis server or to a Redis Cluster. */
export type RedisClient = Redis | Cluster;

/**
 * Purpose of a Redis connection.
 *
 * - `commands`: commands fail immediately while Redis is unavailable, so that no request waits for Redis
 * - `dispatch`: like `commands`, but each command is sent immediately instead of being combined with other commands;
 * for few commands for which a caller waits
 * - `subscriber`: reconnects and subscribes again by itself
 * - `worker`: has the options that BullMQ requires; commands wait for Redis indefinitely
 */
export type RedisConnectionPurpose = 'commands' | 'dispatch' | 'subscriber' | 'worker';

/** Time limit of a Redis command in milliseconds, so that a paused Redis does not block requests. */
const REDIS_COMMAND_TIMEOUT_MS = 5_000;

/**
 * Interval in milliseconds at which a connection to a Redis Cluster reads the nodes of each hash slot. A master that no
 * longer responds closes no connection, so only this read shows that another node has replaced the master.
 */
const CLUSTER_SLOTS_REFRESH_INTERVAL_MS = 5_000;

const computeReconnectionDelayMs = (times: number): number => Math.min(50 * times, 1_000);

interface RedisPurposeOptions {
  enableOfflineQueue: boolean;
  maxRetriesPerRequest: number | null;
  retryStrategy: (times: number) => number;
  enableAutoPipelining?: boolean;
  commandTimeout?: number;
  autoResubscribe?: boolean;
}

const failFastRedisOptions: RedisPurposeOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: REDIS_COMMAND_TIMEOUT_MS,
  retryStrategy: computeReconnectionDelayMs,
};

const redisOptionsByPurpose: Record<RedisConnectionPurpose, RedisPurposeOptions> = {
  commands: { ...failFastRedisOptions, enableAutoPipelining: true },
  dispatch: failFastRedisOptions,
  subscriber: {
    enableOfflineQueue: true,
    maxRetriesPerRequest: null,
    autoResubscribe: true,
    retryStrategy: computeReconnectionDelayMs,
  },
  worker: { enableOfflineQueue: true, maxRetriesPerRequest: null, retryStrategy: computeReconnectionDelayMs },
};

/** Opens a Redis connection. Connection errors are only logged, because the client reconnects by itself. */
export function connectRedis(target: RedisTarget, purpose: RedisConnectionPurpose, logger: QueueLogger): RedisClient {
  const client = hideRedisEvictionPolicy(
    openRedisConnection(typeof target === 'string' ? parseRedisUrl(target) : target, purpose),
  );
  let reported = '';
  client.on('error', (error: unknown) => {
    const text = formatErrorText(error);
    // Each reconnection attempt reports the same error, so it is logged once.
    if (text !== reported) logger.warn({ purpose, error: text }, 'Redis connection failed');
    reported = text;
  });
  client.on('ready', () => {
    reported = '';
  });
  return client;
}

/**
 * Returns 2 for an error after which the Redis client must reconnect and repeat the command. This happens after a
 * failover, when the old master still responds but rejects writes. Returns false for other errors.
 */
const decideReconnectionAfterError = (error: Error): 2 | false => (error.message.startsWith('READONLY') ? 2 : false);

function openRedisConnection(
  target: RedisServerOptions | RedisClusterTarget,
  purpose: RedisConnectionPurpose,
): RedisClient {
  const options = redisOptionsByPurpose[purpose];
  if (purpose === 'subscriber') return openSubscriber(target, options);
  if (!('nodes' in target)) return new Redis({ ...getServerOptions(target), ...options });
  const { enableOfflineQueue, enableAutoPipelining = false, maxRetriesPerRequest, commandTimeout } = options;
  return new Cluster(target.nodes, {
    slotsRefreshInterval: CLUSTER_SLOTS_REFRESH_INTERVAL_MS,
    ...target.options,
    enableOfflineQueue,
    enableAutoPipelining,
    redisOptions: { ...target.nodeOptions, maxRetriesPerRequest, ...(commandTimeout ? { commandTimeout } : {}) },
  });
}

function getServerOptions(target: RedisServerOptions): RedisServerOptions {
  const options: RedisServerOptions = { reconnectOnError: decideReconnectionAfterError, ...target };
  return target.sentinels ? { ...sentinelFailoverOptions, ...options } : options;
}

function openSubscriber(target: RedisServerOptions | RedisClusterTarget, options: RedisPurposeOptions): Redis {
  // Every cluster node forwards all published messages. A separate connection, unlike the one inside the cluster
  // client, reports when it was lost and restored, so that missed messages can be detected.
  const subscriber =
    'nodes' in target
      ? new Redis({ ...target.nodeOptions, ...options, Connector: createAnyClusterNodeConnector(target) })
      : new Redis({ ...getServerOptions(target), ...options });
  reconnectUnresponsiveSubscriber(subscriber);
  return subscriber;
}

/** Time limit for closing a Redis connection properly, in milliseconds. After this time the connection is destroyed. */
const REDIS_CLOSE_TIMEOUT_MS = 1_000;

/** Closes a Redis connection in any state, even when Redis does not respond. Never throws. */
export async function closeRedis(client: RedisClient): Promise<void> {
  if (client.status === 'ready') {
    const limit = sleep(REDIS_CLOSE_TIMEOUT_MS, undefined, { ref: false });
    await Promise.race([client.quit().catch(() => undefined), limit]);
  }
  client.disconnect();
}

/** First words of error replies to valid commands. The server, or the Redis Cluster, is in a temporary state. */
const TEMPORARY_STATE_PATTERN =
  /^(?:READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|MOVED|ASK|TRYAGAIN|NOREPLICAS|UNBLOCKED)\b/;

/** Parts of messages of errors that the Redis client creates without a reply of the server. */
const CONNECTION_FAULT_PATTERN =
  /connection is closed|connection close|writeable|timed out|max retries|ended|cluster isn't ready|cluster redirections|slots cache|startup nodes/i;

/**
 * Returns true if an error shows that Redis was unreachable, did not respond in time, or was in a temporary state, such
 * as a failover. The failed command itself may be valid.
 */
export function isRedisConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ReplyError') return TEMPORARY_STATE_PATTERN.test(error.message);
  const code = 'code' in error ? String(error.code) : '';
  return /^E[A-Z]+$/.test(code) || CONNECTION_FAULT_PATTERN.test(error.message);
}

/**
 * Waits until Redis is connected for the first time, at most `limitMs`. Never rejects, because later Redis commands
 * report the error.
 */
export function waitForFirstRedisConnection(client: RedisClient, limitMs: number): Promise<void> {
  if (client.status === 'ready') return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs).unref();
    client.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Waits until the first attempt to connect to Redis has succeeded or failed, at most for the time limit of a command.
 * Never rejects.
 */
export function waitForFirstRedisAttempt(client: RedisClient): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer);
      client.off('ready', settle).off('close', settle);
      resolve();
    };
    const timer = setTimeout(settle, REDIS_COMMAND_TIMEOUT_MS).unref();
    client.on('ready', settle).on('close', settle);
  });
}

/** Waits until the Redis connection is usable. Used at startup and in tests. Requests do not wait for Redis. */
export function waitUntilReady(client: RedisClient, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Redis did not respond within ${timeoutMs} ms`)), timeoutMs);
    client.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
