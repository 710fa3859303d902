import type { Deadline, Deadlines, Waiting } from './deadlines.js';
import type { LogEntry } from './log-entry.js';
import type { QueueView } from './queue-view.js';
import type { RealmTail } from './realm-tail.js';
import type { Registration, Waiter } from './waiters.js';

/**
 * Reason that a pending poll ended: events in the view, its time limit, a change of the log, or the end of the poll.
 */
export type PollOutcome = 'events' | 'time' | 'recheck' | 'ended';

/**
 * Receives the end of a pending poll, once and synchronously: thousands end together, and promises would cost too much.
 */
export interface PollOwner<T> {
  onPollEnd(pending: PendingPoll<T>, outcome: PollOutcome): void;
  /** The renderer threw. */
  onPollFailure(pending: PendingPoll<T>, error: unknown): void;
}

/**
 * A poll that waits, registered with its realm from its making to {@link release}. The view must have seen the whole
 * tail in the same turn of the event loop.
 */
export class PendingPoll<T> implements Waiter, Waiting {
  readonly user: number | null;
  readonly roles: readonly string[];
  /** Error that the renderer threw after the poll had ended and before it was released. */
  failure: unknown = null;
  /** True if the tail restarted since the view read it: later entries may follow a gap. */
  stale = false;
  private ended = false;
  private over = false;
  private readonly deadline: Deadline;
  private readonly registration: Registration;

  constructor(
    private readonly owner: PollOwner<T>,
    /** Handle by which the owner knows the poll. */
    readonly ticket: T,
    readonly view: QueueView,
    readonly realmTail: RealmTail,
    /** Whether all of the log could be read up to the tail. */
    readonly covered: boolean,
    private readonly deadlines: Deadlines,
    /** Waits until then at most, in milliseconds of the clock. */
    until: number,
  ) {
    this.user = view.queue.user;
    this.roles = view.queue.roles;
    this.deadline = deadlines.add(this, until);
    this.registration = realmTail.waiters.add(this);
  }

  /** Accepts no more entries. Until then entries are collected even after the deadline. */
  close(): void {
    this.over = true;
  }

  /** Closes, and is registered no more. */
  release(): void {
    this.close();
    this.deadlines.remove(this.deadline);
    this.registration.end();
  }

  /** Accepts no entry that follows unseen ones: the next check reads them in order. */
  offer(entries: readonly LogEntry[]): boolean {
    if (this.over || !this.covered) return false;
    try {
      for (const entry of entries) this.view.examine(entry);
      return this.view.events.length > 0;
    } catch (error) {
      // A renderer that throws fails its own poll, not those that are offered the entry after it.
      this.over = true;
      if (this.ended) this.failure = error;
      else this.owner.onPollFailure(this, error);
      return false;
    }
  }

  answer(): void {
    this.settle('events');
  }

  expire(): void {
    this.settle('time');
  }

  recheck(): void {
    this.stale = true;
    this.settle('recheck');
  }

  end(): void {
    this.settle('ended');
  }

  private settle(outcome: PollOutcome): void {
    if (this.ended) return;
    this.ended = true;
    this.owner.onPollEnd(this, outcome);
  }
}
