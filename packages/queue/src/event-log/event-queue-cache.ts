import { userIdOfOwner } from './audience.js';
import type { StoredEventQueue } from './event-log-store.js';
import type { EventQueueRecord } from './event-queue-view.js';

/** Properties of an event queue that never change. Each process caches these properties. */
export interface CachedEventQueue {
  readonly record: EventQueueRecord;
  readonly epoch: number;
  /**
   * Ids of outbox rows that the queue's snapshot already includes, so that the log entries of these rows are skipped.
   */
  readonly skip: ReadonlySet<string>;
}

/** Maximum number of event queues in the cache. At this number, the oldest event queue is evicted. */
const MAX_CACHED_EVENT_QUEUES = 20_000;

const EMPTY_EVENT_QUEUE_SET: ReadonlySet<string> = new Set();

/**
 * Cache of the event queues that have polled this process, by queue id. A repeated poll of a cached queue reads only
 * changing data from the store.
 */
export class EventQueueCache {
  private readonly queues = new Map<string, CachedEventQueue>();

  findCachedQueue(realm: string, id: string): CachedEventQueue | undefined {
    const known = this.queues.get(id);
    return known?.record.realm === realm ? known : undefined;
  }

  cacheQueue(queue: { realm: string; queueId: string; owner: string }, stored: StoredEventQueue): CachedEventQueue {
    const known = toCachedEventQueue(queue, stored);
    if (this.queues.size >= MAX_CACHED_EVENT_QUEUES) this.queues.delete(this.queues.keys().next().value ?? '');
    this.queues.set(queue.queueId, known);
    return known;
  }

  removeCachedQueue(id: string): void {
    this.queues.delete(id);
  }
}

/** Returns the properties of an event queue in the form that is passed to renderers. */
export function toCachedEventQueue(
  queue: { realm: string; queueId: string; owner: string },
  stored: StoredEventQueue,
): CachedEventQueue {
  const { epoch, start, skip, roles, filter, capabilities } = stored;
  const record = {
    id: queue.queueId,
    realm: queue.realm,
    owner: queue.owner,
    user: userIdOfOwner(queue.owner),
    roles: parsedUserRolesCache.getOrParseText(roles),
    start,
    filter: parsedJsonObjectCache.getOrParseText(filter),
    capabilities: parsedJsonObjectCache.getOrParseText(capabilities),
  };
  return { record, epoch, skip: skip === '' ? EMPTY_EVENT_QUEUE_SET : new Set(skip.split(',')) };
}

/** Maximum number of values that {@link ParsedValueCache} caches. At this number, the cache is cleared. */
const MAX_CACHED_PARSED_VALUES = 1_000;

/** Cache of parsed event queue properties. The key is the JSON text, because many queues have equal properties. */
class ParsedValueCache<T> {
  private readonly byText = new Map<string, T>();

  constructor(private readonly parse: (text: string) => T) {}

  /** Returns the parsed form of a text. Equal texts usually return the same object, so callers must not change it. */
  getOrParseText(text: string): T {
    const before = this.byText.get(text);
    if (before !== undefined) return before;
    if (this.byText.size >= MAX_CACHED_PARSED_VALUES) this.byText.clear();
    const value = this.parse(text);
    this.byText.set(text, value);
    return value;
  }
}

const parsedUserRolesCache = new ParsedValueCache<readonly string[]>((text) => (text === '' ? [] : text.split(',')));
const parsedJsonObjectCache = new ParsedValueCache((text) => JSON.parse(text) as Readonly<Record<string, unknown>>);
