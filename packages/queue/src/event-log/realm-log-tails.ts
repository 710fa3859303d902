import { formatErrorText, type QueueClock, type QueueLogger } from '../environment.js';
import type { RedisClient } from '../redis.js';
import type { EntryRenderingThrottle } from './entry-rendering-throttle.js';
import { EventLogUnavailableError } from './event-log-errors.js';
import type { AppendedRows } from './log-dispatcher.js';
import type { RedisLogStore } from './redis-log-store.js';
import { RealmLogTail } from './realm-log-tail.js';

/** Delay before a failed read of log entries is retried, in milliseconds. */
const LOG_READ_RETRY_DELAY_MS = 1_000;

/**
 * Maximum time in milliseconds for which the first poll of a realm waits until this process has subscribed to the
 * announcements of the realm.
 */
const SUBSCRIPTION_WAIT_LIMIT_MS = 5_000;

/** Time in milliseconds for which this process still follows the log of a realm after the realm's last poll. */
const MAX_IDLE_REALM_MS = 600_000;

/** Dependencies of {@link RealmLogTails}. */
export interface RealmLogTailsOptions {
  store: RedisLogStore;
  /** The only Redis connection of the process that subscribes to channels. */
  subscriber: RedisClient;
  processId: string;
  tailBytes: number;
  clock: QueueClock;
  logger: QueueLogger;
  /** Limiter of the number of log entries that are rendered for polls in one turn of the event loop. */
  turns: EntryRenderingThrottle;
  /**
   * Called when Redis reports that a poll of this process has ended. `isRemoved` is true if its event queue was removed,
   * and false if another poll has taken over the queue.
   */
  endPoll: (queueId: string, token: string, isRemoved: boolean) => void;
}

interface FollowedRealm {
  realmTail: RealmLogTail;
  ready: Promise<void>;
  isReady: boolean;
  usedAt: number;
}

/**
 * The event logs of realms that this process follows. One Redis connection receives the announcements of all followed
 * realms, and all log entries in memory share one memory limit.
 */
export class RealmLogTails {
  private readonly followedRealms = new Map<string, FollowedRealm>();
  private readonly realmByChannel = new Map<string, string>();
  /**
   * Realms of which this process failed to read announced log entries. The entries are not announced again, so the
   * process retries the read.
   */
  private readonly tailsBehind = new Set<RealmLogTail>();
  private isStopped = false;

  constructor(private readonly options: RealmLogTailsOptions) {
    const { subscriber, store, processId } = options;
    subscriber.on('message', (channel: string, message: string) => this.handleMessage(channel, message));
    // After a reconnection, reads the entries announced in the meantime.
    subscriber.on('ready', () => {
      for (const { realmTail } of this.followedRealms.values()) void this.resumeFollowing(realmTail);
    });
    this.subscribe(`${store.processPrefix}${processId}`).catch((error: unknown) => this.logError(error));
  }

  /** Returns the newest log entries of a realm, or undefined if this process does not follow the realm's log yet. */
  find(realm: string): RealmLogTail | undefined {
    const followed = this.followedRealms.get(realm);
    if (!followed?.isReady) return undefined;
    followed.usedAt = this.options.clock.now();
    return followed.realmTail;
  }

  /**
   * Returns the newest log entries of a realm, and follows the realm's log from now on. For a realm that was not
   * followed before, the entries in memory begin after log position `unit`. Rejects while Redis is unavailable.
   */
  async getOrFollow(realm: string, unit: number): Promise<RealmLogTail> {
    let followed = this.followedRealms.get(realm);
    if (!followed) {
      const { store, turns } = this.options;
      const listener = {
        behind: () => this.readMissingEntriesOf(realmTail),
        grown: () => this.enforceMemoryLimit(),
      };
      const realmTail: RealmLogTail = new RealmLogTail(realm, unit, store, listener, turns);
      const begun: FollowedRealm = { realmTail, ready: this.beginFollowing(realmTail), isReady: false, usedAt: 0 };
      followed = begun;
      this.followedRealms.set(realm, begun);
      begun.ready.then(
        () => (begun.isReady = true),
        () => this.followedRealms.delete(realm),
      );
    }
    followed.usedAt = this.options.clock.now();
    await followed.ready;
    return followed.realmTail;
  }

  /**
   * Adds log entries that this process is sending to Redis to the entries in memory. Ignores entries that do not
   * directly follow the entries in memory.
   */
  addPending(realm: string, batch: AppendedRows): void {
    this.followedRealms.get(realm)?.realmTail.addPending(batch);
  }

  /**
   * Adds log entries that this process has just appended in Redis to the entries in memory, without a read from Redis.
   */
  addAppended(realm: string, batch: AppendedRows): void {
    this.followedRealms.get(realm)?.realmTail.addAppended(batch);
  }

  /** Stops following the event logs of realms that have no polls. */
  stopFollowingIdleRealms(): void {
    const before = this.options.clock.now() - MAX_IDLE_REALM_MS;
    for (const [realm, { realmTail, usedAt }] of this.followedRealms) {
      if (usedAt > before || realmTail.waiters.size > 0) continue;
      this.followedRealms.delete(realm);
      this.tailsBehind.delete(realmTail);
      const channel = this.options.store.getChannelName(realm);
      this.realmByChannel.delete(channel);
      this.options.subscriber.unsubscribe(channel).catch((error: unknown) => this.logError(error));
    }
  }

  /** Stops retrying failed reads of log entries. */
  stop(): void {
    this.isStopped = true;
  }

  /**
   * Returns the number of followed realms, the memory of their log entries in bytes, and the number of waiting polls,
   * for metrics.
   */
  getSizes(): { realms: number; tailBytes: number; waiters: number } {
    const realmTails = [...this.followedRealms.values()].map((followed) => followed.realmTail);
    const sum = (of: (realmTail: RealmLogTail) => number): number => realmTails.reduce((total, r) => total + of(r), 0);
    return {
      realms: realmTails.length,
      tailBytes: sum((realmTail) => realmTail.tail.memoryBytes),
      waiters: sum((realmTail) => realmTail.waiters.size),
    };
  }

  /**
   * Subscribes to the announcements of a realm, and then reads the realm's log for the first time. This order prevents
   * the loss of announcements.
   */
  private async beginFollowing(realmTail: RealmLogTail): Promise<void> {
    const channel = this.options.store.getChannelName(realmTail.realm);
    this.realmByChannel.set(channel, realmTail.realm);
    await this.subscribeInTime(channel);
    await realmTail.readFirstEntries();
  }

  /**
   * Subscribes to a realm's announcements with a time limit. Without the limit the call would wait indefinitely for a
   * Redis connection, and so would the client's poll.
   *
   * @throws EventLogUnavailableError when the subscription takes too long
   */
  private subscribeInTime(channel: string): Promise<void> {
    const { clock } = this.options;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void =>
        reject(new EventLogUnavailableError(`Redis, subscribe: ${formatErrorText(error)}`, { cause: error }));
      const timer = clock.setTimeout(() => fail(new Error('timed out')), SUBSCRIPTION_WAIT_LIMIT_MS);
      this.subscribe(channel)
        .then(resolve, fail)
        .finally(() => clock.clearTimeout(timer));
    });
  }

  private async subscribe(channel: string): Promise<void> {
    await this.options.subscriber.subscribe(channel);
  }

  private handleMessage(channel: string, message: string): void {
    const realm = this.realmByChannel.get(channel);
    if (realm !== undefined) return this.followedRealms.get(realm)?.realmTail.handleAnnouncement(Number(message));
    const [kind, queueId = '', token = '', reason] = message.split(' ');
    if (kind === 'end') this.options.endPoll(queueId, token, reason === 'gone');
  }

  /**
   * Subscribes again to the announcements of a realm and then reads the realm's log, in the order of
   * {@link beginFollowing}. If the Redis connection is lost meanwhile, the steps are repeated after the next
   * connection.
   */
  private async resumeFollowing(realmTail: RealmLogTail): Promise<void> {
    await this.subscribe(this.options.store.getChannelName(realmTail.realm)).catch((error: unknown) =>
      this.logError(error),
    );
    this.readMissingEntriesOf(realmTail);
  }

  private readMissingEntriesOf(realmTail: RealmLogTail): void {
    realmTail.readMissingEntries().then(
      () => this.tailsBehind.delete(realmTail),
      (error: unknown) => {
        this.logError(error);
        if (this.isStopped) return;
        if (this.tailsBehind.size === 0)
          this.options.clock.setTimeout(() => this.scheduleRetry(), LOG_READ_RETRY_DELAY_MS);
        this.tailsBehind.add(realmTail);
      },
    );
  }

  private scheduleRetry(): void {
    const realmTails = [...this.tailsBehind];
    this.tailsBehind.clear();
    for (const realmTail of realmTails) this.readMissingEntriesOf(realmTail);
  }

  /**
   * Removes log entries from memory until the entries of all realms fit into the memory limit. The realm with the most
   * memory loses entries first.
   */
  private enforceMemoryLimit(): void {
    const tails = [...this.followedRealms.values()].map((followed) => followed.realmTail.tail);
    let total = tails.reduce((sum, tail) => sum + tail.memoryBytes, 0);
    while (total > this.options.tailBytes) {
      const largest = tails.reduce((a, b) => (b.memoryBytes > a.memoryBytes ? b : a));
      const before = largest.memoryBytes;
      largest.freeMemory();
      if (largest.memoryBytes === before) return;
      total -= before - largest.memoryBytes;
    }
  }

  private logError(error: unknown): void {
    this.options.logger.debug({ error: formatErrorText(error) }, 'event log reader failed');
  }
}
