import { BadEventQueueError, EventPrunedError } from './event-log-errors.js';
import { EventQueueCache, type CachedEventQueue } from './event-queue-cache.js';
import type { EventLogStore } from './event-log-store.js';
import { EventQueueCheckBatches } from './queue-check-batches.js';
import type { ClientPollState } from './poll-request.js';

/** An event queue that belongs to the owner of a poll, and the last position (unit) of the log of the queue's realm. */
export interface CheckedEventQueue {
  readonly queue: CachedEventQueue;
  readonly last: number;
}

/** Checks the event queues of polls in the store, and caches those properties of event queues that never change. */
export class EventQueueChecker {
  private readonly batches: EventQueueCheckBatches;
  private readonly known = new EventQueueCache();

  /** @param leaseMs maximum time in milliseconds from one check of a waiting poll to the next */
  constructor(
    store: EventLogStore,
    private readonly leaseMs: number,
  ) {
    this.batches = new EventQueueCheckBatches(store);
  }

  /**
   * Checks the event queue of a poll, acknowledges the events up to the event id of the poll, and extends the life of
   * the queue. Returns null if another poll has taken over the queue.
   *
   * @throws BadEventQueueError if the queue is unknown or belongs to another owner
   * @throws EventPrunedError if the id of the poll precedes the acknowledged id
   * @throws EventLogUnavailableError while the store is unavailable
   */
  async checkEventQueueOfPoll({ request, waits, token, known }: ClientPollState): Promise<CheckedEventQueue | null> {
    const { realm, queueId, owner, lastEventId } = request;
    const before = this.known.findCachedQueue(realm, queueId);
    const result = await this.batches.checkQueueInNextBatch(realm, {
      id: queueId,
      owner,
      lastEventId,
      token,
      holdMs: waits ? this.leaseMs : 0,
      renews: known,
      known: before !== undefined,
    });
    if (result.status === 'BAD') {
      this.known.removeCachedQueue(queueId);
      throw new BadEventQueueError(queueId);
    }
    if (result.status === 'PRUNED') throw new EventPrunedError(lastEventId);
    if (result.status !== 'OK') return null;
    const queue = result.stored ? this.known.cacheQueue(request, result.stored) : before;
    if (!queue) throw new TypeError(`the check of queue ${queueId} returned no queue`);
    return { queue, last: result.last };
  }
}
