import { Injectable } from '@nestjs/common';
import {
  type DatabaseSnapshotStamp,
  compareSnapshotStamps,
  readCurrentSnapshotStamp,
  LeastRecentlyUsedCache,
  type Tx,
} from '@switchboard/database';
import {
  maxMessagesPerCacheUpdate,
  readNextTransactionId,
  readTopicChanges,
  type TopicChanges,
} from './topic-changes.repository.js';
import { PackedTopicList } from './packed-topic-list.js';
import { readTopics, readTopicsById } from './topics.repository.js';

/**
 * Minimum number of topics that a channel must have for its topic list to be cached. A shorter list is read from the
 * database as fast as a cached list is checked.
 */
const minCachedTopicListLength = 500;

/** Memory limit for the cached topic lists of all channels, in bytes: enough for 100,000 topics. */
const maxTopicListCacheBytes = 32 * 1024 * 1024;

/**
 * A message id that is not settled yet. The id becomes settled when all transactions with ids below `xid` have ended.
 * After that, no message with a smaller id can be committed.
 */
interface UnsettledMessageId {
  readonly id: number;
  readonly xid: number;
}

/**
 * Settled message ids of a channel: no message with a smaller id can still be committed. A settled id separates
 * messages already included in a cached topic list from newer messages.
 */
interface CommittedMessageIdProgress {
  /**
   * Largest settled message id: all committed messages up to this id are included in the cached topic list. Null if no
   * id is settled yet.
   */
  readonly settledId: number | null;
  /** Next message id that will become settled; null if the channel has no newer messages. */
  readonly pending: UnsettledMessageId | null;
}

/**
 * Cached topic list of a channel. The list is not used until a message id of the channel is settled, so that no smaller
 * id can be committed.
 */
interface CachedTopicList {
  readonly list: PackedTopicList;
  readonly progress: CommittedMessageIdProgress;
  /** Database snapshot in which the topic list was read. */
  readonly stamp: DatabaseSnapshotStamp;
  readonly byteLength: number;
}

interface TopicListCacheOptions {
  readonly smallestKept?: number;
}

/**
 * Cache of the topics of channels with many topics, in the memory of the process. The least recently used lists are
 * evicted first. Each use reads the latest changes in the caller's transaction, so that the result equals a query in
 * the transaction (docs/adr/0034).
 */
@Injectable()
export class TopicListCache {
  readonly #entries = new LeastRecentlyUsedCache<number, CachedTopicList>(maxTopicListCacheBytes);
  readonly #smallestKept: number;
  #hits = 0;
  #misses = 0;

  constructor(options: TopicListCacheOptions = {}) {
    this.#smallestKept = options.smallestKept ?? minCachedTopicListLength;
  }

  /** Metrics of the topic list cache: memory use in bytes, and numbers of cache hits and misses. */
  get metrics(): { readonly byteLength: number; readonly hits: number; readonly misses: number } {
    return { byteLength: this.#entries.byteLength, hits: this.#hits, misses: this.#misses };
  }

  /**
   * Returns the topics of a channel that have messages, from the cache or the database.
   *
   * @param tx a repeatable read transaction
   */
  async listChannelTopics(tx: Tx, channelId: number): Promise<PackedTopicList> {
    const known = this.#entries.getAndMarkRecentlyUsed(channelId);
    const list = known === undefined ? null : await this.#refresh(tx, channelId, known);
    if (list === null) this.#misses += 1;
    else this.#hits += 1;
    return list ?? this.#load(tx, channelId, known);
  }

  /**
   * Updates a cached topic list with the changes since the list was cached, and returns the updated list. Returns null
   * if all topics must be read again.
   */
  async #refresh(tx: Tx, channelId: number, known: CachedTopicList): Promise<PackedTopicList | null> {
    const { settledId, pending } = known.progress;
    if (settledId === null) return null;
    const changes = await readTopicChanges(tx, channelId, { afterId: settledId, wantsXid: pending === null });
    if (known.stamp.incarnation !== changes.stamp.incarnation || isOlderDatabaseSnapshot(changes.stamp, known.stamp))
      return null;
    if (changes.messages.length > maxMessagesPerCacheUpdate) return null;
    const { kept, staleIds } = await known.list.compareWithTopicChanges(changes);
    const read = staleIds.length === 0 ? [] : await readTopicsById(tx, staleIds);
    const list =
      kept === null && read.length === 0 ? known.list : new PackedTopicList([...read, ...(kept ?? known.list.topics)]);
    this.#store(channelId, list, advanceCommittedMessageIds(known.progress, changes), changes.stamp);
    return list;
  }

  async #load(tx: Tx, channelId: number, known: CachedTopicList | undefined): Promise<PackedTopicList> {
    const stamp = await readCurrentSnapshotStamp(tx);
    const list = new PackedTopicList(await readTopics(tx, channelId));
    const [newest] = list.topics;
    if (newest === undefined || list.topics.length < this.#smallestKept) {
      this.#entries.removeCachedValue(channelId);
      return list;
    }
    const pending = known?.stamp.incarnation === stamp.incarnation ? known.progress.pending : null;
    if (pending !== null && areMessagesUntilIdVisible(pending, stamp)) {
      this.#store(channelId, list, { settledId: pending.id, pending: null }, stamp);
      return list;
    }
    const xid = pending?.xid ?? (await readNextTransactionId(tx));
    if (xid === null) return list;
    this.#store(channelId, list, { settledId: null, pending: { id: pending?.id ?? newest.maxId, xid } }, stamp);
    return list;
  }

  /** Caches a topic list, unless the cache already has a newer list of the channel. */
  #store(
    channelId: number,
    list: PackedTopicList,
    progress: CommittedMessageIdProgress,
    stamp: DatabaseSnapshotStamp,
  ): void {
    const known = this.#entries.getWithoutMarkingUsed(channelId);
    if (known !== undefined && isOlderDatabaseSnapshot(stamp, known.stamp)) return;
    this.#entries.setCachedValue(channelId, { list, progress, stamp, byteLength: list.byteLength });
  }
}

/** Returns true if two database snapshots are from one run of the database server, and the first snapshot is older. */
function isOlderDatabaseSnapshot(first: DatabaseSnapshotStamp, second: DatabaseSnapshotStamp): boolean {
  return first.incarnation === second.incarnation && compareSnapshotStamps(first, second) < 0;
}

function advanceCommittedMessageIds(
  progress: CommittedMessageIdProgress,
  { stamp, messages, nextXid }: TopicChanges,
): CommittedMessageIdProgress {
  const { settledId, pending } = progress;
  if (pending !== null)
    return areMessagesUntilIdVisible(pending, stamp) ? { settledId: pending.id, pending: null } : progress;
  const [newest] = messages;
  return newest === undefined || nextXid === null ? progress : { settledId, pending: { id: newest.id, xid: nextXid } };
}

/**
 * Returns true if every message with an id up to the pending message id is visible in the database snapshot or was
 * never committed. A sending transaction gets a transaction id before the message id, because the transaction first
 * locks the channel.
 */
function areMessagesUntilIdVisible({ xid }: UnsettledMessageId, { snapshot }: DatabaseSnapshotStamp): boolean {
  return Number(snapshot.split(':')[0]) >= xid;
}
