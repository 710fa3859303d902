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
  const { epoch, start, skip, user, roles, filter, capabilities } = stored;
  const record = {
    id: queue.queueId,
    realm: queue.realm,
    owner: queue.owner,
    user: user === '' ? null : Number(user),
    roles: roles === '' ? [] : roles.split(','),
    start,
    filter: parseShared(filter),
    capabilities: parseShared(capabilities),
  };
  return { record, epoch, skip: skip === '' ? NO_QUEUES : new Set(skip.split(',')) };
}

/**
 * Cache of parsed filters and capabilities of event queues by text, because many queues have the same. The cache is
 * cleared when it is full.
 */
const parsedByText = new Map<string, Readonly<Record<string, unknown>>>();
const MAX_PARSED_TEXTS = 1_000;

function parseShared(text: string): Readonly<Record<string, unknown>> {
  const before = parsedByText.get(text);
  if (before) return before;
  if (parsedByText.size >= MAX_PARSED_TEXTS) parsedByText.clear();
  const value = JSON.parse(text) as Record<string, unknown>;
  parsedByText.set(text, value);
  return value;
}
