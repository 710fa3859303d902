import { setImmediate } from 'node:timers';
import { FirstInFirstOutList } from './first-in-first-out-list.js';
import type { LogEntry } from './log-entry.js';
import type { EventQueueEntryExaminer } from './event-queue-view.js';

/**
 * Maximum number of log entries that are rendered in one iteration of the event loop. Rendering a hundred thousand
 * entries takes more than a second, even if the filter of a queue excludes most entries.
 */
const ENTRIES_PER_TURN = 1_000;

/** Cost of skipping a log entry that is for other users, as a fraction of the cost of rendering an entry. */
const SKIPPED_ENTRY_COST = 1 / 50;

const resolvedPromise = Promise.resolve();

/**
 * Limits the number of log entries that all readers of a process examine in one iteration (turn) of the event loop. A
 * reader that reaches the limit waits for a later turn. Waiting readers continue in the order in which they began to
 * wait.
 */
export class EntryRenderingThrottle {
  private left = ENTRIES_PER_TURN;
  private readonly waiting = new FirstInFirstOutList<() => void>();
  private isScheduled = false;

  /**
   * True if no more log entries may be examined in this turn (iteration) of the event loop. The reader must then await
   * {@link waitForNextTurn}.
   */
  get isTurnOver(): boolean {
    return this.left <= 0;
  }

  /**
   * Passes a log entry to the view of an event queue, and counts the entry.
   *
   * @throws UnrenderableEntryError as {@link EventQueueEntryExaminer.examineEntry}
   */
  examineAndCount(view: EventQueueEntryExaminer, entry: LogEntry): void {
    this.scheduleNextTurn();
    this.left -= view.examineEntry(entry) ? 1 : SKIPPED_ENTRY_COST;
  }

  /**
   * Returns those first entries of a list that may be rendered in this turn of the event loop. Counts the returned
   * entries toward the limit.
   */
  takeEntriesOfTurn<T>(entries: readonly T[]): readonly T[] {
    this.scheduleNextTurn();
    const taken = entries.length <= this.left ? entries : entries.slice(0, Math.ceil(Math.max(this.left, 0)));
    this.left -= taken.length;
    return taken;
  }

  /** Resolves in a later turn of the event loop, in which further log entries may be examined. */
  waitForNextTurn(): Promise<void> {
    this.scheduleNextTurn();
    return new Promise((resolve) => this.waiting.appendItem(resolve));
  }

  private scheduleNextTurn(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => void this.beginTurn());
  }

  private async beginTurn(): Promise<void> {
    this.isScheduled = false;
    this.left = ENTRIES_PER_TURN;
    while (!this.isTurnOver && this.waiting.itemCount > 0) {
      this.waiting.removeOldestItem()?.();
      // Lets the reader examine its entries, so that the next one waits if they were too many.
      await resolvedPromise;
    }
    if (this.waiting.itemCount > 0) this.scheduleNextTurn();
  }
}
