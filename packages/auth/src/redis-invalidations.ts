import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis, RedisOptions } from 'ioredis';
import type { InvalidationListener, Invalidations } from './invalidations.js';

/** Settings of {@link RedisInvalidations}. */
export interface RedisInvalidationsOptions {
  /** Publishes, and is duplicated for the subscription. It stays the caller's to close. */
  readonly redis: Redis;
  /** Redis channel shared by the processes of one service, for example `inventory:credentials`. */
  readonly channel: string;
  readonly logger: { warn(fields: object, message: string): void };
  /** Milliseconds between two checks that the subscription still answers. Default 1000. */
  readonly heartbeatMs?: number;
  /** The longest that {@link RedisInvalidations.publish} keeps its caller waiting, in milliseconds. Default 1000. */
  readonly publishTimeoutMs?: number;
  /** How long an unreachable Redis is tried again in the background: the greatest age of an entry. Default 10,000. */
  readonly retryForMs?: number;
}

const retryDelayMs = 200;

/**
 * Invalidations over Redis publish/subscribe, with one subscribing connection per process.
 *
 * The connection counts as lost from the moment its socket closes, and at most two heartbeats after it went silent
 * without closing (a half-open connection). It counts as connected again when Redis has confirmed the new subscription,
 * and not when the socket merely opened: what was published in between would be missed.
 */
export class RedisInvalidations implements Invalidations {
  readonly #options: Required<RedisInvalidationsOptions>;
  readonly #subscriber: Redis;
  readonly #listeners: InvalidationListener[] = [];
  #subscribed = false;
  #closed = false;
  #heartbeat: NodeJS.Timeout | undefined;
  #awaitingPong = false;

  constructor(options: RedisInvalidationsOptions) {
    this.#options = { heartbeatMs: 1000, publishTimeoutMs: 1000, retryForMs: 10_000, ...options };
    this.#subscriber = options.redis.duplicate<RedisOptions>({
      lazyConnect: true,
      // What an operator sees in CLIENT LIST; names hold no spaces.
      connectionName: options.channel.replaceAll(/\s/g, '-'),
      // Subscribing again is done here, so that its confirmation is seen.
      autoResubscribe: false,
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: null,
      retryStrategy: (attempt) => Math.min(attempt * 50, 1000),
    });
    this.#subscriber.on('ready', () => void this.#subscribe());
    this.#subscriber.on('close', () => this.#lose('closed'));
    this.#subscriber.on('error', (error: Error) => this.#warn(error, 'credential invalidations: connection error'));
    this.#subscriber.on('message', (_channel: string, tag: string) => {
      for (const listener of this.#listeners) listener.invalidated(tag);
    });
  }

  /**
   * Opens the subscription. Resolves after the first attempt whether or not Redis could be reached, because a service
   * works without it, only slower; attempts go on in the background.
   */
  async start(): Promise<void> {
    this.#heartbeat = setInterval(() => void this.#beat(), this.#options.heartbeatMs);
    this.#heartbeat.unref();
    try {
      await this.#subscriber.connect();
      // Queued behind the subscription that the ready event has sent.
      await this.#subscriber.ping();
    } catch (error) {
      this.#warn(error, 'credential invalidations: not connected yet, credentials are not cached');
    }
  }

  /** Ends the subscription and any retries; caches are bypassed from here on. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    this.#lose('stopped');
    this.#subscriber.disconnect();
  }

  isConnected(): boolean {
    // The client changes its status in the same step in which the socket closes, its event comes a tick later.
    return this.#subscribed && this.#subscriber.status === 'ready';
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
          this.#warn(error, 'credential invalidations: could not publish, entries elsewhere end by age');
          return;
        }
        await sleep(retryDelayMs, undefined, { ref: false });
      }
    }
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#subscriber.subscribe(this.#options.channel);
      this.#awaitingPong = false;
      this.#subscribed = true;
    } catch (error) {
      if (this.#closed) return;
      this.#warn(error, 'credential invalidations: could not subscribe, connecting again');
      this.#subscriber.disconnect(true);
    }
  }

  async #beat(): Promise<void> {
    if (!this.isConnected()) return;
    if (this.#awaitingPong) {
      this.#lose('silent');
      this.#subscriber.disconnect(true);
      return;
    }
    this.#awaitingPong = true;
    try {
      await this.#subscriber.ping();
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
