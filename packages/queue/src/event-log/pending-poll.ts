import type { UserId } from './audience.js';
import type { RegisteredDeadline, DeadlineSchedule, DeadlineListener } from './deadline-schedule.js';
import type { LogEntry } from './log-entry.js';
import type { EventQueueEntryExaminer } from './event-queue-view.js';
import type { RecentRealmLog } from './realm-log-tail.js';
import type { WaitingPollRegistration, PollWaitingForLogEntries } from './waiting-polls.js';

/**
 * Reason why a pending poll stops waiting: the poll has events, its time limit has passed, the log has changed, or the
 * poll was ended.
 */
export type PendingPollEndReason = 'events' | 'time' | 'recheck' | 'ended';

/**
 * Callbacks of a pending poll that stops waiting. Exactly one callback is called, once and synchronously. Promises
 * would be too slow, because thousands of polls end together.
 */
export interface PendingEventPollCallbacks<T> {
  onPollEnd(pending: PendingEventPoll<T>, outcome: PendingPollEndReason): void;
  /** Called when the app's renderer threw an error while it rendered a log entry for the pending poll. */
  onPollFailure(pending: PendingEventPoll<T>, error: unknown): void;
}

/**
 * A poll that waits for log entries of its realm, from the construction until {@link removeFromRealm}. The caller must
 * construct it in the same turn of the event loop in which the poll has examined all log entries in memory.
 */
export class PendingEventPoll<T> implements PollWaitingForLogEntries, DeadlineListener {
  readonly user: UserId | null;
  readonly roles: readonly string[];
  /**
   * Error that the app's renderer threw after the pending poll had stopped waiting and before the poll was released.
   */
  failure: unknown = null;
  /**
   * True if the log entries in memory were replaced after this poll had examined them. Entries may then be missing
   * before the next new entry.
   */
  stale = false;
  private isEnded = false;
  private over = false;
  private readonly deadline: RegisteredDeadline;
  private readonly registration: WaitingPollRegistration;

  constructor(
    private readonly owner: PendingEventPollCallbacks<T>,
    /** Value by which the creator of the pending poll identifies the poll. */
    readonly ticket: T,
    readonly view: EventQueueEntryExaminer,
    readonly realmTail: RecentRealmLog,
    /**
     * True if the poll could examine the log without a gap up to the log entries in memory. If false, the poll ignores
     * new entries.
     */
    readonly covered: boolean,
    private readonly deadlines: DeadlineSchedule,
    /** Time at which the pending poll stops waiting, in milliseconds of the clock. */
    until: number,
  ) {
    this.user = view.queue.user;
    this.roles = view.queue.roles;
    this.deadline = deadlines.add(this, until);
    this.registration = realmTail.waiters.addWaitingPoll(this);
  }

  /**
   * Stops accepting log entries for the pending poll. Until this call the poll collects entries, even after its
   * deadline.
   */
  stopAcceptingEntries(): void {
    this.over = true;
  }

  /** Closes the pending poll and removes it from the pending polls of the realm. */
  removeFromRealm(): void {
    this.stopAcceptingEntries();
    this.deadlines.remove(this.deadline);
    this.registration.removePollFromRealm();
  }

  /**
   * Passes log entries to the pending poll. Returns true if the poll has events for its client. Ignores the entries and
   * returns false if earlier entries are missing; the next check then reads all entries in order.
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
    this.endWaitForReason('events');
  }

  expire(): void {
    this.endWaitForReason('time');
  }

  recheckQueue(): void {
    this.stale = true;
    this.endWaitForReason('recheck');
  }

  endWaitWithoutEvents(): void {
    this.endWaitForReason('ended');
  }

  private endWaitForReason(outcome: PendingPollEndReason): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.owner.onPollEnd(this, outcome);
  }
}
