import { userIdOfOwner } from './audience.js';
import type { StoredQueue } from './log-store.js';
import type { QueueRecord } from './queue-view.js';

/** Properties of an event queue that never change. A process caches them. */
export interface KnownQueue {
  readonly record: QueueRecord;
  readonly epoch: number;
  /** Ids of outbox rows that the queue's snapshot already includes, whose entries are therefore skipped. */
  readonly skip: ReadonlySet<string>;
}

/** Maximum number of event queues in the cache. Beyond it the oldest is evicted. */
const MAX_KNOWN_QUEUES = 20_000;

const NO_QUEUES: ReadonlySet<string> = new Set();

/**
 * Cache of the event queues that have polled this process, by id. A repeated poll then reads only changing data from
 * Redis.
 */
export class KnownQueues {
  private readonly queues = new Map<string, KnownQueue>();

  find(realm: string, id: string): KnownQueue | undefined {
    const known = this.queues.get(id);
    return known?.record.realm === realm ? known : undefined;
  }

  addQueue(queue: { realm: string; queueId: string; owner: string }, stored: StoredQueue): KnownQueue {
    const known = toKnownQueue(queue, stored);
    if (this.queues.size >= MAX_KNOWN_QUEUES) this.queues.delete(this.queues.keys().next().value ?? '');
    this.queues.set(queue.queueId, known);
    return known;
  }

  removeQueue(id: string): void {
    this.queues.delete(id);
  }
}

/** Returns the properties of an event queue as renderers get them. */
export function toKnownQueue(
  queue: { realm: string; queueId: string; owner: string },
  stored: StoredQueue,
): KnownQueue {
  const { epoch, start, skip, roles, filter, capabilities } = stored;
  const record = {
    id: queue.queueId,
    realm: queue.realm,
    owner: queue.owner,
    user: userIdOfOwner(queue.owner),
    roles: sharedRoles.valueOf(roles),
    start,
    filter: sharedObjects.valueOf(filter),
    capabilities: sharedObjects.valueOf(capabilities),
  };
  return { record, epoch, skip: skip === '' ? NO_QUEUES : new Set(skip.split(',')) };
}

/** Maximum number of values that {@link SharedValues} caches. Beyond it the cache is cleared. */
const MAX_SHARED_VALUES = 1_000;

/** Cache of parsed properties of event queues by text, because many queues have the same. */
class SharedValues<T> {
  private readonly byText = new Map<string, T>();

  constructor(private readonly parse: (text: string) => T) {}

  /** Returns the parsed text. Equal texts usually return the same object, which must not be changed. */
  valueOf(text: string): T {
    const before = this.byText.get(text);
    if (before !== undefined) return before;
    if (this.byText.size >= MAX_SHARED_VALUES) this.byText.clear();
    const value = this.parse(text);
    this.byText.set(text, value);
    return value;
  }
}

const sharedRoles = new SharedValues<readonly string[]>((text) => (text === '' ? [] : text.split(',')));
const sharedObjects = new SharedValues((text) => JSON.parse(text) as Readonly<Record<string, unknown>>);
