import type { UserId } from './audience.js';
import type { RegisteredDeadline, DeadlineSchedule, DeadlineListener } from './deadline-schedule.js';
import type { LogEntry } from './log-entry.js';
import type { EventQueueView } from './event-queue-view.js';
import type { RealmLogTail } from './realm-log-tail.js';
import type { WaitingPollRegistration, WaitingPoll } from './waiting-polls.js';

/**
 * Reason why a pending poll stops waiting: events in the view, its time limit, a change of the log, or the end of the
 * poll.
 */
export type PollEndReason = 'events' | 'time' | 'recheck' | 'ended';

/**
 * Callbacks of a pending poll that stops waiting. Exactly one of them is called, once and synchronously: thousands of
 * polls end together, and promises would be too slow.
 */
export interface PendingPollCallbacks<T> {
  onPollEnd(pending: PendingPoll<T>, outcome: PollEndReason): void;
  /** Called when the app's renderer threw an error. */
  onPollFailure(pending: PendingPoll<T>, error: unknown): void;
}

/**
 * A poll that waits for log entries of its realm, from its construction until {@link release}. The caller must
 * construct it in the same turn of the event loop in which its queue view has examined all entries in memory.
 */
export class PendingPoll<T> implements WaitingPoll, DeadlineListener {
  readonly user: UserId | null;
  readonly roles: readonly string[];
  /** Error that the app's renderer threw after the poll had stopped waiting and before it was released. */
  failure: unknown = null;
  /**
   * True if the log entries in memory were replaced since this poll examined them, so that entries may be missing
   * before the next ones.
   */
  stale = false;
  private isEnded = false;
  private over = false;
  private readonly deadline: RegisteredDeadline;
  private readonly registration: WaitingPollRegistration;

  constructor(
    private readonly owner: PendingPollCallbacks<T>,
    /** Value by which the poll's owner recognizes the poll. */
    readonly ticket: T,
    readonly view: EventQueueView,
    readonly realmTail: RealmLogTail,
    /** True if the view could examine the log up to the entries in memory. */
    readonly covered: boolean,
    private readonly deadlines: DeadlineSchedule,
    /** Time at which the poll stops waiting, in milliseconds of the clock. */
    until: number,
  ) {
    this.user = view.queue.user;
    this.roles = view.queue.roles;
    this.deadline = deadlines.add(this, until);
    this.registration = realmTail.waiters.add(this);
  }

  /** Stops accepting log entries. Until then entries are collected even after the deadline. */
  close(): void {
    this.over = true;
  }

  /** Closes the poll and removes it from the pending polls of its realm. */
  release(): void {
    this.close();
    this.deadlines.remove(this.deadline);
    this.registration.end();
  }

  /**
   * Passes log entries to the view. Rejects them if earlier entries are missing. The next check then reads all entries
   * in order.
   */
  offerEntry(entries: readonly LogEntry[]): boolean {
    if (this.over || !this.covered) return false;
    try {
      for (const entry of entries) this.view.examineEntry(entry);
      return this.view.events.length > 0;
    } catch (error) {
      // An error of the renderer fails only this poll, not polls that are offered the entry afterwards.
      this.over = true;
      if (this.isEnded) this.failure = error;
      else this.owner.onPollFailure(this, error);
      return false;
    }
  }

  complete(): void {
    this.endWithOutcome('events');
  }

  expire(): void {
    this.endWithOutcome('time');
  }

  recheckQueue(): void {
    this.stale = true;
    this.endWithOutcome('recheck');
  }

  end(): void {
    this.endWithOutcome('ended');
  }

  private endWithOutcome(outcome: PollEndReason): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.owner.onPollEnd(this, outcome);
  }
}
