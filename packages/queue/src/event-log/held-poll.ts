import type { Deadlines, Waiting } from './deadlines.js';
import type { LogEntry } from './log-entry.js';
import type { QueueView } from './queue-view.js';
import type { RealmReader } from './realm-reader.js';
import type { Waiter } from './waiters.js';

/** How a hold ended: with events in the view, by its time, by a change in the log, or because the poll is over. */
export type HoldOutcome = 'events' | 'time' | 'recheck' | 'ended';

/**
 * A poll that waits, registered with its realm from its making to {@link release}. The view must have seen the whole
 * tail in the same turn of the event loop.
 */
export class HeldPoll implements Waiter, Waiting {
  readonly user: number | null;
  readonly roles: readonly string[];
  /** Rejects with what the renderer throws. */
  readonly outcome: Promise<HoldOutcome>;
  private over = false;
  private resolve: (outcome: HoldOutcome) => void = () => {};
  private reject: (error: unknown) => void = () => {};
  private readonly step: number;

  constructor(
    readonly view: QueueView,
    readonly reader: RealmReader,
    /** Whether all of the log could be read up to the tail. */
    readonly covered: boolean,
    private readonly deadlines: Deadlines,
    /** Waits until then at most, in milliseconds of the clock. */
    until: number,
  ) {
    this.user = view.queue.user;
    this.roles = view.queue.roles;
    this.outcome = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.step = deadlines.add(this, until);
    reader.waiters.add(this);
  }

  /** Takes nothing more. Until then the view goes on, also when the time is up. */
  release(): void {
    this.over = true;
    this.deadlines.remove(this, this.step);
    this.reader.waiters.remove(this);
  }

  offer(entries: readonly LogEntry[]): void {
    if (this.over) return;
    try {
      for (const entry of entries) this.view.examine(entry);
      if (this.view.events.length > 0) this.resolve('events');
    } catch (error) {
      // A renderer that throws fails its own poll, not those that are offered the entry after it.
      this.over = true;
      this.reject(error);
    }
  }

  expire(): void {
    this.resolve('time');
  }

  recheck(): void {
    this.resolve('recheck');
  }

  end(): void {
    this.resolve('ended');
  }
}
