import { compareStamps, readChangesSince, readStamped, Remembered, type Tx } from '@switchboard/database';
import { UserSet } from '@switchboard/queue';
import { packedUserIds, readUserIds } from '../../access/user-ids.js';
import { model } from '../../snapshot-memory/index.js';

/** Smallest number of subscribers that is kept: fewer are read as fast as a check takes. */
const smallestKept = 500;

/** Bytes of a subscriber in memory: the id, and its part of the text in audiences. */
const bytesPerSubscriber = 6;

/** Memory for the subscribers of all channels, in bytes: of 130 channels with 20,000 each. */
const defaultLimitBytes = 16 * 1024 * 1024;

const models = [model.users, model.subscribers];

const subscribersSql = `SELECT ${packedUserIds('u.id')} AS ids FROM subscriptions s JOIN users u ON u.id = s.user_id
  WHERE s.channel_id = $1 AND s.is_active AND u.is_active`;

/** Settings of {@link ActiveSubscribers}. */
export interface ActiveSubscribersOptions {
  readonly limitBytes?: number;
  readonly smallestKept?: number;
}

/**
 * Active users who subscribe to a channel. Those of large channels are kept in the memory of the process, the least
 * recently used evicted first. Each use checks in the caller's transaction that none has changed (docs/adr/0019), so the
 * result is what a statement of that transaction would read.
 */
export class ActiveSubscribers {
  /** In the order of their last use. */
  readonly #entries = new Map<number, Remembered<UserSet>>();
  readonly #limitBytes: number;
  readonly #smallestKept: number;
  #byteLength = 0;
  #hits = 0;
  #misses = 0;

  constructor(options: ActiveSubscribersOptions = {}) {
    this.#limitBytes = options.limitBytes ?? defaultLimitBytes;
    this.#smallestKept = options.smallestKept ?? smallestKept;
  }

  /** Memory in use, and the numbers of uses from memory and of reads. */
  get metrics(): { readonly byteLength: number; readonly hits: number; readonly misses: number } {
    return { byteLength: this.#byteLength, hits: this.#hits, misses: this.#misses };
  }

  /**
   * Reads the active subscribers of a channel. They are complete for the transaction only if it has locked the channel
   * (`lockChannels`).
   */
  async list(tx: Tx, channelId: number): Promise<UserSet> {
    const known = this.#entries.get(channelId);
    if (known !== undefined && (await isExact(tx, known))) {
      this.#hits += 1;
      this.#use(channelId, known);
      return known.value;
    }
    this.#misses += 1;
    const read = await readStamped<{ ids: Buffer }>(tx, { sql: subscribersSql, params: [channelId], models });
    const subscribers = new UserSet(readUserIds(read.row.ids));
    if (!read.hasOwnChanges) this.#store(channelId, new Remembered(subscribers, models, read.stamp));
    return subscribers;
  }

  #use(channelId: number, entry: Remembered<UserSet>): void {
    if (this.#entries.get(channelId) !== entry) return;
    this.#entries.delete(channelId);
    this.#entries.set(channelId, entry);
  }

  /** Keeps the subscribers of a large channel, unless another transaction has stored newer ones meanwhile. */
  #store(channelId: number, entry: Remembered<UserSet>): void {
    const other = this.#entries.get(channelId)?.made;
    if (other?.incarnation === entry.made.incarnation && compareStamps(other, entry.made) > 0) return;
    this.#remove(channelId);
    if (entry.value.ids.length < this.#smallestKept || bytesOf(entry) > this.#limitBytes) return;
    this.#entries.set(channelId, entry);
    this.#byteLength += bytesOf(entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#byteLength <= this.#limitBytes) break;
      this.#remove(oldest);
    }
  }

  #remove(channelId: number): void {
    const entry = this.#entries.get(channelId);
    if (entry === undefined) return;
    this.#byteLength -= bytesOf(entry);
    this.#entries.delete(channelId);
  }
}

/** Changes of the transaction itself count although its snapshot is no newer than the entry. */
async function isExact(tx: Tx, entry: Remembered<UserSet>): Promise<boolean> {
  const report = await readChangesSince(tx, entry.verified, entry.models);
  return report.changed.size === 0 && entry.isExactIn(report);
}

function bytesOf({ value }: Remembered<UserSet>): number {
  return value.ids.length * bytesPerSubscriber;
}
