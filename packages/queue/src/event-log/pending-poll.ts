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
 * Receives the end of a pending poll, once and synchronously: thousands of polls end together, and promises would be
 * too slow.
 */
export interface PollOwner<T> {
  onPollEnd(pending: PendingPoll<T>, outcome: PollOutcome): void;
  /** Called when the renderer threw. */
  onPollFailure(pending: PendingPoll<T>, error: unknown): void;
}

/**
 * A waiting poll, registered with its realm from construction to {@link release}. The view must have examined the whole
 * tail in the same event-loop turn.
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
    /** Handle by which the owner identifies the poll. */
    readonly ticket: T,
    readonly view: QueueView,
    readonly realmTail: RealmTail,
    /** True if the log could be read up to the tail. */
    readonly covered: boolean,
    private readonly deadlines: Deadlines,
    /** Deadline of the wait, in milliseconds of the clock. */
    until: number,
  ) {
    this.user = view.queue.user;
    this.roles = view.queue.roles;
    this.deadline = deadlines.add(this, until);
    this.registration = realmTail.waiters.add(this);
  }

  /** Stops accepting entries. Before this call entries are collected even after the deadline. */
  close(): void {
    this.over = true;
  }

  /** Closes the poll and removes its registration. */
  release(): void {
    this.close();
    this.deadlines.remove(this.deadline);
    this.registration.end();
  }

  /** Passes entries to the view. Rejects entries that follow missing ones: the next check reads those in order. */
  offer(entries: readonly LogEntry[]): boolean {
    if (this.over || !this.covered) return false;
    try {
      for (const entry of entries) this.view.examine(entry);
      return this.view.events.length > 0;
    } catch (error) {
      // An error of the renderer fails only this poll, not polls that are offered the entry afterwards.
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
