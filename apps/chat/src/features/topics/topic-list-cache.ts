import { Injectable } from '@nestjs/common';
import { type ChangeStamp, compareChangeStamps, readCurrentStamp, LruCache, type Tx } from '@switchboard/database';
import {
  maxNewTopicMessages,
  readNextTransactionId,
  readTopicChanges,
  type TopicChanges,
} from './topic-changes.repository.js';
import { TopicList } from './packed-topic-list.js';
import { readTopics, readTopicsById } from './topics.repository.js';

/**
 * Minimum number of topics of a channel whose list is cached. Reading fewer topics is as fast as checking a cached
 * list.
 */
const minTopicsOfCachedList = 500;

/** Memory limit for the cached topic lists of all channels, in bytes: enough for 100,000 topics. */
const topicListsLimitBytes = 32 * 1024 * 1024;

/**
 * A message id that becomes settled when all transactions with ids below `xid` have ended. Then no message with a
 * smaller id can be committed any more.
 */
interface PendingMessageId {
  readonly id: number;
  readonly xid: number;
}

/**
 * Settled message ids of a channel, which separate the messages already applied to a cached list from newer messages.
 */
interface SettledMessageIds {
  /**
   * Largest settled message id: no message up to this id was sent since the list was read. Null if no id is settled
   * yet.
   */
  readonly settledId: number | null;
  /** Next message id that will be settled; null if there are no newer messages. */
  readonly pending: PendingMessageId | null;
}

/** Cached topic list of a channel, which is not used until a message id is settled. */
interface CachedTopicList {
  readonly list: TopicList;
  readonly progress: SettledMessageIds;
  /** Database snapshot in which the topic list was read. */
  readonly stamp: ChangeStamp;
  readonly byteLength: number;
}

/** Options of {@link TopicLists}. */
interface TopicListsOptions {
  readonly smallestKept?: number;
}

/**
 * Cache of the topics of channels with many topics, in the memory of the process. The least recently used lists are
 * evicted first. Each use reads the changes in the caller's transaction, so the result equals that of a query in that
 * transaction (docs/adr/0034).
 */
@Injectable()
export class TopicLists {
  readonly #entries = new LruCache<number, CachedTopicList>(topicListsLimitBytes);
  readonly #smallestKept: number;
  #hits = 0;
  #misses = 0;

  constructor(options: TopicListsOptions = {}) {
    this.#smallestKept = options.smallestKept ?? minTopicsOfCachedList;
  }

  /** Bytes of memory that the cache uses, and numbers of cache hits and misses. */
  get metrics(): { readonly byteLength: number; readonly hits: number; readonly misses: number } {
    return { byteLength: this.#entries.byteLength, hits: this.#hits, misses: this.#misses };
  }

  /**
   * Returns the topics of a channel that have messages, from the cache or the database.
   *
   * @param tx a repeatable read transaction
   */
  async list(tx: Tx, channelId: number): Promise<TopicList> {
    const known = this.#entries.get(channelId);
    const list = known === undefined ? null : await this.#refresh(tx, channelId, known);
    if (list === null) this.#misses += 1;
    else this.#hits += 1;
    return list ?? this.#load(tx, channelId, known);
  }

  /** Applies the changes since a topic list was cached. Returns null if all topics must be read again. */
  async #refresh(tx: Tx, channelId: number, known: CachedTopicList): Promise<TopicList | null> {
    const { settledId, pending } = known.progress;
    if (settledId === null) return null;
    const changes = await readTopicChanges(tx, channelId, { afterId: settledId, wantsXid: pending === null });
    if (known.stamp.incarnation !== changes.stamp.incarnation || isOlderTopicStamp(changes.stamp, known.stamp))
      return null;
    if (changes.messages.length > maxNewTopicMessages) return null;
    const { kept, staleIds } = await known.list.compare(changes);
    const read = staleIds.length === 0 ? [] : await readTopicsById(tx, staleIds);
    const list =
      kept === null && read.length === 0 ? known.list : new TopicList([...read, ...(kept ?? known.list.topics)]);
    this.#store(channelId, list, advanceSettledIds(known.progress, changes), changes.stamp);
    return list;
  }

  async #load(tx: Tx, channelId: number, known: CachedTopicList | undefined): Promise<TopicList> {
    const stamp = await readCurrentStamp(tx);
    const list = new TopicList(await readTopics(tx, channelId));
    const [newest] = list.topics;
    if (newest === undefined || list.topics.length < this.#smallestKept) {
      this.#entries.remove(channelId);
      return list;
    }
    const pending = known?.stamp.incarnation === stamp.incarnation ? known.progress.pending : null;
    if (pending !== null && isTransactionSettled(pending, stamp)) {
      this.#store(channelId, list, { settledId: pending.id, pending: null }, stamp);
      return list;
    }
    const xid = pending?.xid ?? (await readNextTransactionId(tx));
    if (xid === null) return list;
    this.#store(channelId, list, { settledId: null, pending: { id: pending?.id ?? newest.maxId, xid } }, stamp);
    return list;
  }

  /** Caches a topic list, unless the cache already has a newer list of the channel. */
  #store(channelId: number, list: TopicList, progress: SettledMessageIds, stamp: ChangeStamp): void {
    const known = this.#entries.peek(channelId);
    if (known !== undefined && isOlderTopicStamp(stamp, known.stamp)) return;
    this.#entries.set(channelId, { list, progress, stamp, byteLength: list.byteLength });
  }
}

/** Returns true if both database snapshots are from the same run of the database server, and the first is older. */
function isOlderTopicStamp(first: ChangeStamp, second: ChangeStamp): boolean {
  return first.incarnation === second.incarnation && compareChangeStamps(first, second) < 0;
}

function advanceSettledIds(progress: SettledMessageIds, { stamp, messages, nextXid }: TopicChanges): SettledMessageIds {
  const { settledId, pending } = progress;
  if (pending !== null)
    return isTransactionSettled(pending, stamp) ? { settledId: pending.id, pending: null } : progress;
  const [newest] = messages;
  return newest === undefined || nextXid === null ? progress : { settledId, pending: { id: newest.id, xid: nextXid } };
}

/**
 * Returns true if each message with an id up to the pending one is visible in the snapshot, or was never committed. A
 * sender has a transaction id before its message gets an id, because it locks the channel first.
 */
function isTransactionSettled({ xid }: PendingMessageId, { snapshot }: ChangeStamp): boolean {
  return Number(snapshot.split(':')[0]) >= xid;
}
