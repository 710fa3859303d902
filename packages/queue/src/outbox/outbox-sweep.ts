import { formatErrorText, type QueueClock, type QueueLogger } from '../environment.js';
import type { OutboxTablesLocation } from './dead-letters.js';
import { type OutboxDispatchCoordinator, getDispatchTargetKey } from './outbox-dispatches.js';
import type { OutboxDispatchTarget } from './outbox-row-buffer.js';
import { listWaitingDispatchTargets } from './waiting-outbox-rows.js';

/** Dependencies of {@link DueOutboxRowSearch}, the periodic search for undispatched outbox rows. */
export interface DueOutboxRowSearchOptions {
  tables: OutboxTablesLocation;
  dispatches: OutboxDispatchCoordinator;
  /** Returns true if the outbox rows of a message type are dispatched in batches that contain rows of all realms. */
  isBatched: (topic: string) => boolean;
  /** Time between two searches for undispatched outbox rows, in milliseconds. */
  sweepMs: number;
  clock: QueueClock;
  logger: QueueLogger;
}

/** Periodic search for outbox rows that are due for dispatch: rows left by a crash, retries and delayed rows. */
export class DueOutboxRowSearch {
  private timer: unknown;
  private isRunning = false;

  constructor(private readonly options: DueOutboxRowSearchOptions) {}

  /** Starts the periodic search for outbox rows that are due. The first search starts immediately. */
  startPeriodicSearch(): void {
    this.isRunning = true;
    this.scheduleNextSearch(0);
  }

  /** Stops the periodic search for outbox rows. A dispatch that has started continues. */
  stopPeriodicSearch(): void {
    this.isRunning = false;
    this.options.clock.clearTimeout(this.timer);
  }

  /** Finds and dispatches the outbox rows that are due. Resolves when the rows were dispatched. */
  async dispatchDueRows(): Promise<void> {
    const { dispatches } = this.options;
    await Promise.all((await this.listDispatchTargets()).map((target) => dispatches.dispatchRowsOfTarget(target)));
  }

  private async listDispatchTargets(): Promise<OutboxDispatchTarget[]> {
    const { tables, dispatches, isBatched } = this.options;
    const targets = await listWaitingDispatchTargets(tables.pool, tables.schema);
    // Rows of large transactions are drained with those of others.
    const batched = targets.map((target) => (isBatched(target.topic) ? { ...target, realm: '' } : target));
    const distinct = new Map(batched.map((target) => [getDispatchTargetKey(target), target]));
    return [...distinct.values()].filter((target) => dispatches.hasDispatcherOfTopic(target.topic));
  }

  private scheduleNextSearch(delayMs: number): void {
    const { clock, dispatches, logger, sweepMs } = this.options;
    this.timer = clock.setTimeout(() => {
      this.listDispatchTargets()
        // Drains are not awaited: a slow message type must not delay the next sweep.
        .then((targets) => targets.forEach((target) => this.isRunning && dispatches.dispatchTargetAndLogErrors(target)))
        .catch((error: unknown) => logger.warn({ error: formatErrorText(error) }, 'outbox sweep failed'))
        .finally(() => {
          if (this.isRunning) this.scheduleNextSearch(sweepMs);
        });
    }, delayMs);
  }
}
