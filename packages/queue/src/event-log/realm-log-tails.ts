import { formatErrorText, type QueueClock, type QueueLogger } from '../environment.js';
import type { EntryRenderingThrottle } from './entry-rendering-throttle.js';
import { EventLogUnavailableError } from './event-log-errors.js';
import type { RowsAppendedToEventLog } from './log-dispatcher.js';
import { RECHECK_ANNOUNCEMENT, type ChannelSubscriber, type EventLogStore } from './event-log-store.js';
import { RecentRealmLog } from './realm-log-tail.js';

/** Delay before a failed read of log entries is retried, in milliseconds. */
const LOG_READ_RETRY_DELAY_MS = 1_000;

/**
 * Maximum time in milliseconds for which the first poll of a realm waits until this process has subscribed to the
 * announcements of the realm.
 */
const REALM_SUBSCRIPTION_WAIT_LIMIT_MS = 5_000;

/** Time in milliseconds for which this process still follows the log of a realm after the realm's last poll. */
const FOLLOW_IDLE_REALM_LIMIT_MS = 600_000;

export interface FollowedRealmLogsOptions {
  store: EventLogStore;
  /** The only receiver of the process for the messages on the store's channels. */
  subscriber: ChannelSubscriber;
  processId: string;
  tailBytes: number;
  clock: QueueClock;
  logger: QueueLogger;
  /** Limiter of the number of log entries that are rendered for polls in one turn of the event loop. */
  turns: EntryRenderingThrottle;
  /**
   * Called when the store reports that a poll of this process has ended. `isRemoved` is true if its event queue was removed,
   * and false if another poll has taken over the queue.
   */
  endPoll: (queueId: string, token: string, isRemoved: boolean) => void;
}

interface RealmWithFollowedLog {
  realmTail: RecentRealmLog;
  ready: Promise<void>;
  isReady: boolean;
  usedAt: number;
}

/**
 * The event logs of realms that this process follows. One subscriber receives the announcements of all followed
 * realms, and all log entries in memory share one memory limit.
 */
export class FollowedRealmLogs {
  private readonly followedRealms = new Map<string, RealmWithFollowedLog>();
  private readonly realmByChannel = new Map<string, string>();
  /**
   * Realms of which this process failed to read announced log entries. The entries are not announced again, so the
   * process retries the read.
   */
  private readonly tailsBehind = new Set<RecentRealmLog>();
  private isStopped = false;

  constructor(private readonly options: FollowedRealmLogsOptions) {
    const { subscriber, store, processId } = options;
    subscriber.on('message', (channel: string, message: string) => this.readAnnouncedLogEntries(channel, message));
    // After a reconnection, reads the entries announced in the meantime.
    subscriber.on('ready', () => {
      for (const { realmTail } of this.followedRealms.values()) void this.resumeFollowingRealmLog(realmTail);
    });
    this.subscribeToRealmAnnouncements(`${store.processPrefix}${processId}`).catch((error: unknown) =>
      this.logLogReadError(error),
    );
  }

  /** Returns the newest log entries of a realm, or undefined if this process does not follow the realm's log yet. */
  findFollowedLog(realm: string): RecentRealmLog | undefined {
    const followed = this.followedRealms.get(realm);
    if (!followed?.isReady) return undefined;
    followed.usedAt = this.options.clock.now();
    return followed.realmTail;
  }

  /**
   * Returns the newest log entries of a realm, and follows the realm's log from now on. For a realm that was not
   * followed before, the entries in memory begin after log position `unit`. Rejects while the store is unavailable.
   */
  async getOrFollowLog(realm: string, unit: number): Promise<RecentRealmLog> {
    let followed = this.followedRealms.get(realm);
    if (!followed) {
      const { store, turns } = this.options;
      const listener = {
        behind: () => this.readMissingEntriesOrRetry(realmTail),
        grown: () => this.enforceLogMemoryLimit(),
      };
      const realmTail: RecentRealmLog = new RecentRealmLog(realm, unit, store, listener, turns);
      const begun: RealmWithFollowedLog = {
        realmTail,
        ready: this.beginFollowingRealmLog(realmTail),
        isReady: false,
        usedAt: 0,
      };
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
   * Adds log entries that this process is sending to the store to the entries in memory. Ignores entries that do not
   * directly follow the entries in memory.
   */
  addPendingLogEntries(realm: string, batch: RowsAppendedToEventLog): void {
    this.followedRealms.get(realm)?.realmTail.addCommittedPendingEntries(batch);
  }

  /**
   * Adds log entries that this process has just appended to the log to the entries in memory, without a read from the store.
   */
  addAppendedLogEntries(realm: string, batch: RowsAppendedToEventLog): void {
    this.followedRealms.get(realm)?.realmTail.addAppendedEntries(batch);
  }

  /** Stops following the event logs of realms that have no polls. */
  stopFollowingIdleRealms(): void {
    const before = this.options.clock.now() - FOLLOW_IDLE_REALM_LIMIT_MS;
    for (const [realm, { realmTail, usedAt }] of this.followedRealms) {
      if (usedAt > before || realmTail.waiters.waitingPollCount > 0) continue;
      this.followedRealms.delete(realm);
      this.tailsBehind.delete(realmTail);
      const channel = this.options.store.getAnnouncementChannelName(realm);
      this.realmByChannel.delete(channel);
      this.options.subscriber.unsubscribe(channel).catch((error: unknown) => this.logLogReadError(error));
    }
  }

  /** Stops retrying failed reads of log entries. */
  stopRetryingReads(): void {
    this.isStopped = true;
  }

  /**
   * Returns the number of followed realms, the memory of their log entries in bytes, and the number of waiting polls,
   * for metrics.
   */
  getFollowedLogStatistics(): { realms: number; tailBytes: number; waiters: number } {
    const realmTails = [...this.followedRealms.values()].map((followed) => followed.realmTail);
    const sum = (of: (realmTail: RecentRealmLog) => number): number =>
      realmTails.reduce((total, r) => total + of(r), 0);
    return {
      realms: realmTails.length,
      tailBytes: sum((realmTail) => realmTail.tail.memoryBytes),
      waiters: sum((realmTail) => realmTail.waiters.waitingPollCount),
    };
  }

  /**
   * Subscribes to the announcements of a realm, and then reads the realm's log for the first time. This order prevents
   * the loss of announcements.
   */
  private async beginFollowingRealmLog(realmTail: RecentRealmLog): Promise<void> {
    const channel = this.options.store.getAnnouncementChannelName(realmTail.realm);
    this.realmByChannel.set(channel, realmTail.realm);
    await this.subscribeWithTimeLimit(channel);
    await realmTail.readFirstLogEntries();
  }

  /**
   * Subscribes to a realm's announcements with a time limit. Without the limit the call would wait indefinitely for a
   * Redis connection, and so would the client's poll.
   *
   * @throws EventLogUnavailableError when the subscription takes too long
   */
  private subscribeWithTimeLimit(channel: string): Promise<void> {
    const { clock } = this.options;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void =>
        reject(new EventLogUnavailableError(`subscribe: ${formatErrorText(error)}`, { cause: error }));
      const timer = clock.setTimeout(() => fail(new Error('timed out')), REALM_SUBSCRIPTION_WAIT_LIMIT_MS);
      this.subscribeToRealmAnnouncements(channel)
        .then(resolve, fail)
        .finally(() => clock.clearTimeout(timer));
    });
  }

  private async subscribeToRealmAnnouncements(channel: string): Promise<void> {
    await this.options.subscriber.subscribe(channel);
  }

  private readAnnouncedLogEntries(channel: string, message: string): void {
    const realm = this.realmByChannel.get(channel);
    if (realm !== undefined) {
      const realmTail = this.followedRealms.get(realm)?.realmTail;
      if (message === RECHECK_ANNOUNCEMENT) realmTail?.waiters.recheckQueuesOfAllPolls();
      else realmTail?.readEntriesAfterAnnouncement(Number(message));
      return;
    }
    const [kind, queueId = '', token = '', reason] = message.split(' ');
    if (kind === 'end') this.options.endPoll(queueId, token, reason === 'gone');
  }

  /**
   * Subscribes again to the announcements of a realm and then reads the realm's log, in the order of
   * {@link beginFollowingRealmLog}. If the Redis connection is lost meanwhile, the steps are repeated after the next
   * connection.
   */
  private async resumeFollowingRealmLog(realmTail: RecentRealmLog): Promise<void> {
    await this.subscribeToRealmAnnouncements(this.options.store.getAnnouncementChannelName(realmTail.realm)).catch(
      (error: unknown) => this.logLogReadError(error),
    );
    this.readMissingEntriesOrRetry(realmTail);
  }

  private readMissingEntriesOrRetry(realmTail: RecentRealmLog): void {
    realmTail.readMissingLogEntries().then(
      () => this.tailsBehind.delete(realmTail),
      (error: unknown) => {
        this.logLogReadError(error);
        if (this.isStopped) return;
        if (this.tailsBehind.size === 0)
          this.options.clock.setTimeout(() => this.retryFailedLogReads(), LOG_READ_RETRY_DELAY_MS);
        this.tailsBehind.add(realmTail);
      },
    );
  }

  private retryFailedLogReads(): void {
    const realmTails = [...this.tailsBehind];
    this.tailsBehind.clear();
    for (const realmTail of realmTails) this.readMissingEntriesOrRetry(realmTail);
  }

  /**
   * Removes log entries from memory until the entries of all realms fit into the memory limit. The realm with the most
   * memory loses entries first.
   */
  private enforceLogMemoryLimit(): void {
    const tails = [...this.followedRealms.values()].map((followed) => followed.realmTail.tail);
    let total = tails.reduce((sum, tail) => sum + tail.memoryBytes, 0);
    while (total > this.options.tailBytes) {
      const largest = tails.reduce((a, b) => (b.memoryBytes > a.memoryBytes ? b : a));
      const before = largest.memoryBytes;
      largest.freeMemoryOfOldestEntry();
      if (largest.memoryBytes === before) return;
      total -= before - largest.memoryBytes;
    }
  }

  private logLogReadError(error: unknown): void {
    this.options.logger.debug({ error: formatErrorText(error) }, 'event log reader failed');
  }
}
