import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { InvalidationListener, Invalidations } from './invalidations.js';

/** Settings of {@link RedisInvalidations}. */
export interface RedisInvalidationsOptions {
  /** Publishes, and is duplicated for the subscription. A client of a server or of a cluster; it stays the caller's to close. */
  readonly redis: Redis | Cluster;
  /** Redis channel shared by the processes of one service, for example `inventory:credentials`. */
  readonly channel: string;
  readonly logger: { warn(fields: object, message: string): void };
  /** Milliseconds between two checks that the subscription still answers. Default 1000. */
  readonly heartbeatMs?: number;
  /** The longest that {@link RedisInvalidations.publish} keeps its caller waiting, in milliseconds. Default 1000. */
  readonly publishTimeoutMs?: number;
  /**
   * Time for which an unreachable Redis is retried in the background, in milliseconds: the greatest age of an entry.
   * Default 10,000.
   */
  readonly retryForMs?: number;
}

const retryDelayMs = 200;

/** Returns the delay before the given connection attempt, in milliseconds. */
const reconnectDelayMs = (attempt: number): number => Math.min(attempt * 50, 1000);

/**
 * Invalidations over Redis publish/subscribe, with one subscribing connection per process.
 *
 * The connection counts as lost from the moment its socket closes, and at most two heartbeats after it went silent
 * without closing (a half-open connection). It counts as connected again when Redis has confirmed the new subscription,
 * and not when the socket merely opened: what was published in between would be missed.
 *
 * In a cluster every node hands on what is published anywhere. The connection goes to one of them and, when that is
 * lost, to the next: the subscription inside a cluster's own client moves without saying that it was away.
 */
export class RedisInvalidations implements Invalidations {
  readonly #options: Required<RedisInvalidationsOptions>;
  readonly #listeners: InvalidationListener[] = [];
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
   * Opens the subscription. Resolves after the first attempt whether or not Redis could be reached, because a service
   * works without it, only slower; attempts go on in the background.
   */
  async start(): Promise<void> {
    this.#heartbeat = setInterval(() => void this.#beat(), this.#options.heartbeatMs);
    this.#heartbeat.unref();
    await this.#connect();
  }

  /** Ends the subscription and any retries; caches are bypassed from here on. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    this.#lose('stopped');
    this.#subscriber?.disconnect();
  }

  isConnected(): boolean {
    // The client changes its status in the same step in which the socket closes, its event comes a tick later.
    return this.#subscribed && this.#subscriber?.status === 'ready';
  }

  listen(listener: InvalidationListener): void {
    this.#listeners.push(listener);
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
            'credential invalidations: could not publish, other processes cache the old credentials until they expire',
          );
          return;
        }
        await sleep(retryDelayMs, undefined, { ref: false });
      }
    }
  }

  /** Makes one attempt to connect and subscribe. A connection that ends at any stage is followed by another. */
  async #connect(): Promise<void> {
    this.#attempt += 1;
    const subscriber = this.#open();
    if (!subscriber) return this.#connectAgain();
    this.#subscriber = subscriber;
    subscriber.on('close', () => this.#lose('closed'));
    subscriber.on('end', () => this.#connectAgain());
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
      // One line for an outage, with what the socket said rather than that it closed.
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
    }, reconnectDelayMs(this.#attempt)).unref();
  }

  /** A connection of the subscription's own; undefined while a cluster's client knows no node. */
  #open(): Redis | undefined {
    const { redis, channel } = this.#options;
    const options: RedisOptions = {
      lazyConnect: true,
      // What an operator sees in CLIENT LIST; names hold no spaces.
      connectionName: channel.replaceAll(/\s/g, '-'),
      // Subscribing again is done here, so that its confirmation is seen.
      autoResubscribe: false,
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: null,
      // Connecting again is done here too, because the next attempt may have to go to another node.
      retryStrategy: () => null,
      sentinelRetryStrategy: () => null,
    };
    if (!('nodes' in redis)) return redis.duplicate(options);
    const nodes = redis.nodes('all');
    return nodes[this.#attempt % nodes.length]?.duplicate(options);
  }

  async #beat(): Promise<void> {
    if (!this.isConnected()) return;
    if (this.#awaitingPong) {
      this.#lose('silent');
      this.#subscriber?.disconnect();
      return;
    }
    this.#awaitingPong = true;
    try {
      await this.#subscriber?.ping();
      this.#awaitingPong = false;
    } catch {
      // The close event that rejected the ping has been handled already.
    }
  }

  #lose(reason: string): void {
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
