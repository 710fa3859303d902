import type { QueueClock } from '../environment.js';
import type { LogEntry } from './log-entry.js';
import type { QueueView } from './queue-view.js';
import type { Waiter, Waiters } from './waiters.js';

/** How a hold ended: with events in the view, by its time, by a change in the log, or because the poll is over. */
export type HoldOutcome = 'events' | 'time' | 'recheck' | 'ended';

/** A poll that waits, registered with its realm from {@link begin} to {@link release}. */
export class HeldPoll implements Waiter {
  readonly user: number | null;
  readonly roles: readonly string[];
  private settle: (outcome: HoldOutcome) => void = () => {};
  private fail: (error: unknown) => void = () => {};
  private timer: unknown;

  constructor(
    private readonly view: QueueView,
    private readonly waiters: Waiters,
    private readonly clock: QueueClock,
  ) {
    this.user = view.queue.user;
    this.roles = view.queue.roles;
  }

  /** Waits at most `ms`. The view must have seen the whole tail in the same turn of the event loop. */
  begin(ms: number): Promise<HoldOutcome> {
    this.waiters.add(this);
    this.timer = this.clock.setTimeout(() => this.settle('time'), ms);
    return new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
  }

  /** Offers nothing more. */
  release(): void {
    this.clock.clearTimeout(this.timer);
    this.waiters.remove(this);
  }

  offer(entry: LogEntry): void {
    try {
      this.view.examine(entry);
    } catch (error) {
      // A renderer that throws fails its own poll, not those that are offered the entry after it.
      this.fail(error);
    }
  }

  flush(): void {
    if (this.view.events.length > 0) this.settle('events');
  }

  recheck(): void {
    this.settle('recheck');
  }

  end(): void {
    this.settle('ended');
  }
}
