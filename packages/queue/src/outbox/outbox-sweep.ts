import { formatErrorText, type QueueClock, type QueueLogger } from '../environment.js';
import type { OutboxTables } from './dead-letters.js';
import { type OutboxDispatches, getDrainTargetKey } from './outbox-dispatches.js';
import type { DrainTarget } from './outbox-row-buffer.js';
import { listWaitingDrainTargets } from './waiting-outbox-rows.js';

/** Dependencies of {@link OutboxSweep}, the periodic search for undispatched outbox rows. */
export interface OutboxSweepOptions {
  tables: OutboxTables;
  dispatches: OutboxDispatches;
  /** Returns true if the outbox rows of a message type are dispatched in batches that contain rows of all realms. */
  isBatched: (topic: string) => boolean;
  /** Time between two searches for undispatched outbox rows, in milliseconds. */
  sweepMs: number;
  clock: QueueClock;
  logger: QueueLogger;
}

/** Periodic search for outbox rows that are due for dispatch: rows left by a crash, retries and delayed rows. */
export class OutboxSweep {
  private timer: unknown;
  private isRunning = false;

  constructor(private readonly options: OutboxSweepOptions) {}

  /** Starts the periodic search for outbox rows that are due. The first search starts immediately. */
  start(): void {
    this.isRunning = true;
    this.schedule(0);
  }

  /** Stops the periodic search for outbox rows. A dispatch that has started continues. */
  stop(): void {
    this.isRunning = false;
    this.options.clock.clearTimeout(this.timer);
  }

  /** Finds and dispatches the outbox rows that are due. Resolves when the rows were dispatched. */
  async run(): Promise<void> {
    const { dispatches } = this.options;
    await Promise.all((await this.listTargets()).map((target) => dispatches.dispatchTarget(target)));
  }

  private async listTargets(): Promise<DrainTarget[]> {
    const { tables, dispatches, isBatched } = this.options;
    const targets = await listWaitingDrainTargets(tables.pool, tables.schema);
    // Rows of large transactions are drained with those of others.
    const batched = targets.map((target) => (isBatched(target.topic) ? { ...target, realm: '' } : target));
    const distinct = new Map(batched.map((target) => [getDrainTargetKey(target), target]));
    return [...distinct.values()].filter((target) => dispatches.hasDispatcher(target.topic));
  }

  private schedule(delayMs: number): void {
    const { clock, dispatches, logger, sweepMs } = this.options;
    this.timer = clock.setTimeout(() => {
      this.listTargets()
        // Drains are not awaited: a slow message type must not delay the next sweep.
        .then((targets) =>
          targets.forEach((target) => this.isRunning && dispatches.dispatchTargetLoggingErrors(target)),
        )
        .catch((error: unknown) => logger.warn({ error: formatErrorText(error) }, 'outbox sweep failed'))
        .finally(() => {
          if (this.isRunning) this.schedule(sweepMs);
        });
    }, delayMs);
  }
}
