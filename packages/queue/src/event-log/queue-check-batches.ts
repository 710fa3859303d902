import type { EventLogStore, EventQueueCheckResult, EventQueueCheckArguments } from './event-log-store.js';

/**
 * Maximum number of polls whose event queues one script or statement checks. Redis serves no other command while the
 * script runs, and a statement locks the log of the realm.
 */
const MAX_POLLS_PER_CHECK_SCRIPT = 64;

interface WaitingEventQueueCheck {
  readonly look: EventQueueCheckArguments;
  readonly resolve: (result: EventQueueCheckResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Checks the event queues of polls in batches: once per turn of the event loop. After an event, thousands of clients
 * poll again. A separate Redis command for each poll would take several times as long, in this process and in Redis.
 */
export class EventQueueCheckBatches {
  private checksByRealm = new Map<string, WaitingEventQueueCheck[]>();

  constructor(private readonly store: EventLogStore) {}

  /**
   * Checks the event queue of a poll with the next batch of checks, and returns the result.
   *
   * @throws EventLogUnavailableError while the store is unavailable
   */
  checkQueueInNextBatch(realm: string, look: EventQueueCheckArguments): Promise<EventQueueCheckResult> {
    if (this.checksByRealm.size === 0) setImmediate(() => this.sendQueueCheckBatches());
    return new Promise((resolve, reject) => {
      const waiting = { look, resolve, reject };
      const others = this.checksByRealm.get(realm);
      if (others) others.push(waiting);
      else this.checksByRealm.set(realm, [waiting]);
    });
  }

  private sendQueueCheckBatches(): void {
    const { checksByRealm } = this;
    this.checksByRealm = new Map();
    for (const [realm, waiting] of checksByRealm) {
      for (let from = 0; from < waiting.length; from += MAX_POLLS_PER_CHECK_SCRIPT)
        void this.sendQueueCheckBatch(realm, waiting.slice(from, from + MAX_POLLS_PER_CHECK_SCRIPT));
    }
  }

  private async sendQueueCheckBatch(realm: string, batch: readonly WaitingEventQueueCheck[]): Promise<void> {
    try {
      const results = await this.store.checkQueuesOfPolls(
        realm,
        batch.map(({ look }) => look),
      );
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
