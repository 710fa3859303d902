import {
  readModelsWithChangedRowsSinceSnapshot,
  readRowWithSnapshotStamp,
  LeastRecentlyUsedCache,
  CachedDatabaseValue,
  type Tx,
} from '@switchboard/database';
import { AudienceUserIds } from '@switchboard/queue';
import { aggregatePackedUserIdsSql, decodePackedUserIds } from '../access/sorted-user-ids.js';
import { snapshotDataModelNumbers } from '../../events/snapshot-memory/index.js';

/**
 * Minimum number of subscribers for which the cache stores a channel's subscribers. Reading fewer subscribers is as
 * fast as checking a cache entry.
 */
const minCachedSubscribers = 500;

/**
 * Estimated memory per cached subscriber in bytes. Includes the id of the subscriber, and a share of the JSON text in
 * which events list their recipients.
 */
const cacheBytesPerSubscriber = 6;

/**
 * Default memory limit for the subscribers of all channels, in bytes: enough for 130 channels with 20,000 subscribers.
 */
const subscriberCacheLimitBytes = 16 * 1024 * 1024;

const modelsThatAffectCachedSubscribers = [snapshotDataModelNumbers.users, snapshotDataModelNumbers.subscribers];

const selectActiveSubscriberIdsSql = `SELECT ${aggregatePackedUserIdsSql('u.id')} AS ids FROM subscriptions s JOIN users u ON u.id = s.user_id
  WHERE s.channel_id = $1 AND s.is_active AND u.is_active`;

interface CachedSubscribers {
  readonly subscribers: CachedDatabaseValue<AudienceUserIds>;
  readonly byteLength: number;
}

/** Options of {@link ActiveSubscriberCache}, such as its memory limit. */
export interface ActiveSubscribersOptions {
  readonly limitBytes?: number;
  readonly smallestKept?: number;
}

/**
 * Cache of the active subscribers of large channels in the memory of the process. The subscribers of the least recently
 * used channels are evicted first. Each use checks in the caller's transaction that no subscription has changed
 * (docs/adr/0019), so the result equals that of a query in that transaction.
 */
export class ActiveSubscriberCache {
  readonly #entries: LeastRecentlyUsedCache<number, CachedSubscribers>;
  readonly #smallestKept: number;
  #hits = 0;
  #misses = 0;

  constructor(options: ActiveSubscribersOptions = {}) {
    this.#entries = new LeastRecentlyUsedCache(options.limitBytes ?? subscriberCacheLimitBytes);
    this.#smallestKept = options.smallestKept ?? minCachedSubscribers;
  }

  /** Metrics of the cache: its memory use in bytes, and numbers of hits and misses. */
  get metrics(): { readonly byteLength: number; readonly hits: number; readonly misses: number } {
    return { byteLength: this.#entries.byteLength, hits: this.#hits, misses: this.#misses };
  }

  /**
   * Returns the active subscribers of a channel. The result certainly includes changes of concurrent transactions only
   * if the caller's transaction has locked the channel (`lockChannels`).
   */
  async list(tx: Tx, channelId: number): Promise<AudienceUserIds> {
    const known = this.#entries.getAndMarkRecentlyUsed(channelId)?.subscribers;
    if (known !== undefined && (await areSubscribersUnchangedSince(tx, known))) {
      this.#hits += 1;
      return known.value;
    }
    this.#misses += 1;
    const read = await readRowWithSnapshotStamp<{ ids: Buffer }>(tx, {
      sql: selectActiveSubscriberIdsSql,
      params: [channelId],
      models: modelsThatAffectCachedSubscribers,
    });
    const subscribers = new AudienceUserIds(decodePackedUserIds(read.row.ids));
    if (!read.hasOwnChanges)
      this.#store(channelId, new CachedDatabaseValue(subscribers, modelsThatAffectCachedSubscribers, read.stamp));
    return subscribers;
  }

  /**
   * Stores the subscribers of a large channel in the cache, unless the cache already contains newer subscribers of the
   * channel.
   */
  #store(channelId: number, subscribers: CachedDatabaseValue<AudienceUserIds>): void {
    if (this.#entries.getWithoutMarkingUsed(channelId)?.subscribers.isNewerThan(subscribers) === true) return;
    const { length } = subscribers.value.ids;
    if (length < this.#smallestKept) this.#entries.removeCachedValue(channelId);
    else this.#entries.setCachedValue(channelId, { subscribers, byteLength: length * cacheBytesPerSubscriber });
  }
}

/**
 * Returns true if the channel's subscribers have not changed since the cache entry was read. Considers changes of other
 * transactions and of the current transaction.
 */
async function areSubscribersUnchangedSince(tx: Tx, entry: CachedDatabaseValue<AudienceUserIds>): Promise<boolean> {
  const report = await readModelsWithChangedRowsSinceSnapshot(tx, entry.verifiedStamp, entry.models);
  return report.changedModels.size === 0 && entry.isUnchangedInReport(report);
}
