import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { CredentialInvalidationListener, CredentialInvalidationNotifier } from './credential-invalidations.js';

/** Connection, channel and times of {@link RedisCredentialInvalidationNotifier}. */
export interface RedisInvalidationsOptions {
  /**
   * Connection to a Redis server or cluster for publishing; the subscription uses a duplicate of this connection. The
   * caller closes the given connection.
   */
  readonly redis: Redis | Cluster;
  /** Redis channel shared by the processes of one service, for example `inventory:credentials`. */
  readonly channel: string;
  readonly logger: { warn(fields: object, message: string): void };
  /**
   * Interval in milliseconds at which this process checks that the subscribing Redis connection responds. Default 1000.
   */
  readonly heartbeatMs?: number;
  /** Maximum duration of {@link RedisCredentialInvalidationNotifier.publish}, in milliseconds. Default 1000. */
  readonly publishTimeoutMs?: number;
  /**
   * Time in milliseconds for which publishing to an unreachable Redis is retried in the background. The time should
   * equal the maximum age of cached credentials. Default 10,000.
   */
  readonly retryForMs?: number;
}

const invalidationPublishRetryDelayMs = 200;

/** Returns the delay in milliseconds before a Redis connection attempt with the given number. */
const computeRedisReconnectDelayMs = (attempt: number): number => Math.min(attempt * 50, 1000);

/**
 * Sends invalidations of cached credentials by Redis publish/subscribe, with one subscribing connection per process.
 * The connection counts as lost as soon as its socket closes, or at most two heartbeats after Redis stopped responding
 * (a half-open connection). The connection counts as restored when Redis has confirmed the new subscription, because
 * messages published before that are lost. In a cluster, every node forwards all published messages. The connection
 * uses one node, and the next node after the connection is lost. The subscription of a cluster client is not used,
 * because that subscription moves to another node without reporting the interruption.
 */
export class RedisCredentialInvalidationNotifier implements CredentialInvalidationNotifier {
  readonly #options: Required<RedisInvalidationsOptions>;
  readonly #listeners: CredentialInvalidationListener[] = [];
  #subscriber: Redis | undefined;
  #attempt = 0;
  #subscribed = false;
  #closed = false;
  #heartbeat: NodeJS.Timeout | undefined;
  #awaitingPong = false;

  constructor(options: RedisInvalidationsOptions) {
    this.#options = { heartbeatMs: 1000, publishTimeoutMs: 1000, retryForMs: 10_000, ...options };
  }

  /**
   * Opens the subscription to invalidations of cached credentials. The promise resolves after the first attempt even if
   * Redis is unreachable, because a service works without Redis, only more slowly. Further attempts follow in the
   * background.
   */
  async start(): Promise<void> {
    this.#heartbeat = setInterval(() => void this.#checkConnection(), this.#options.heartbeatMs);
    this.#heartbeat.unref();
    await this.#connect();
  }

  /** Ends the subscription and all retries. After this call, caches of this process store nothing. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    this.#markDisconnected('stopped');
    this.#subscriber?.disconnect();
  }

  isConnected(): boolean {
    // The client changes its status when the socket closes, one tick before it emits the event.
    return this.#subscribed && this.#subscriber?.status === 'ready';
  }

  listen(listener: CredentialInvalidationListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Evicts all values from the credential caches of this process, in the same way as a lost subscription does. Used by
   * a service whose database may have lost commits.
   */
  invalidateAll(): void {
    for (const listener of this.#listeners) listener.lost();
  }

  async publish(tag: string): Promise<void> {
    const impatience = new AbortController();
    const delivered = this.#deliver(tag).finally(() => impatience.abort());
    const waited = sleep(this.#options.publishTimeoutMs, undefined, { signal: impatience.signal }).catch(
      () => undefined,
    );
    await Promise.race([delivered, waited]);
  }

  async #deliver(tag: string): Promise<void> {
    const deadline = performance.now() + this.#options.retryForMs;
    for (;;) {
      try {
        await this.#options.redis.publish(this.#options.channel, tag);
        return;
      } catch (error) {
        if (this.#closed || performance.now() >= deadline) {
          this.#warn(
            error,
            'invalidations: could not publish, other processes keep old cached values until they expire',
          );
          return;
        }
        await sleep(invalidationPublishRetryDelayMs, undefined, { ref: false });
      }
    }
  }

  /**
   * Makes one attempt to connect to Redis and to subscribe to invalidations. Whenever the connection ends, another
   * attempt follows.
   */
  async #connect(): Promise<void> {
    this.#attempt += 1;
    const subscriber = this.#open();
    if (!subscriber) return this.#connectAgain();
    this.#subscriber = subscriber;
    subscriber.on('close', () => this.#markDisconnected('closed'));
    subscriber.on('end', () => {
      if (this.#closed) return;
      // Also closes the connections to Sentinels, which remain open when the server closes the connection.
      subscriber.disconnect();
      this.#connectAgain();
    });
    let failure: unknown;
    subscriber.on('error', (error: Error) => (failure = error));
    subscriber.on('message', (_channel: string, tag: string) => {
      for (const listener of this.#listeners) listener.invalidated(tag);
    });
    try {
      await subscriber.connect();
      await subscriber.subscribe(this.#options.channel);
      this.#awaitingPong = false;
      this.#subscribed = subscriber.status === 'ready';
      this.#attempt = 0;
    } catch (error) {
      // Logs one line per outage, with the error of the socket instead of the fact that it closed.
      if (this.#attempt === 1) {
        this.#warn(failure ?? error, 'credential invalidations: not connected, credentials are not cached');
      }
      subscriber.disconnect();
    }
  }

  #connectAgain(): void {
    if (this.#closed) return;
    setTimeout(() => {
      if (!this.#closed) void this.#connect();
    }, computeRedisReconnectDelayMs(this.#attempt)).unref();
  }

  /**
   * Opens the Redis connection that subscribes to invalidations. Returns undefined if the client is a cluster client
   * that has not discovered a cluster node yet.
   */
  #open(): Redis | undefined {
    const { redis, channel } = this.#options;
    const options: RedisOptions = {
      lazyConnect: true,
      // Name for CLIENT LIST, which must not contain spaces.
      connectionName: channel.replaceAll(/\s/g, '-'),
      // This class subscribes again itself, so that it sees the confirmation.
      autoResubscribe: false,
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: null,
      // This class also reconnects itself, because the next attempt may have to use another node.
      retryStrategy: () => null,
      sentinelRetryStrategy: () => null,
    };
    if (!('nodes' in redis)) return redis.duplicate(options);
    const nodes = redis.nodes('all');
    return nodes[this.#attempt % nodes.length]?.duplicate(options);
  }

  async #checkConnection(): Promise<void> {
    if (!this.isConnected()) return;
    if (this.#awaitingPong) {
      this.#markDisconnected('silent');
      this.#subscriber?.disconnect();
      return;
    }
    this.#awaitingPong = true;
    try {
      await this.#subscriber?.ping();
      this.#awaitingPong = false;
    } catch {
      // The close event that rejected the ping was handled already.
    }
  }

  #markDisconnected(reason: string): void {
    if (!this.#subscribed) return;
    this.#subscribed = false;
    for (const listener of this.#listeners) listener.lost();
    if (!this.#closed) {
      this.#options.logger.warn({ reason }, 'credential invalidations: subscription lost, credentials are not cached');
    }
  }

  #warn(error: unknown, message: string): void {
    if (!this.#closed) this.#options.logger.warn({ err: error }, message);
  }
}
