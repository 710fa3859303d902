import type { QueueClock } from '../environment.js';
import type { DeadlineSchedule } from './deadline-schedule.js';
import type { ClientPollState } from './poll-request.js';
import type { EventQueueChecker } from './event-queue-checker.js';

export interface PausedEventStreamChecksOptions {
  checks: EventQueueChecker;
  deadlines: DeadlineSchedule;
  clock: QueueClock;
  /** Interval between two checks of the event queue of a paused stream, in milliseconds. */
  leaseMs: number;
  /** Function that ends an event stream after another poll has taken over the stream's event queue. */
  cancel: (ticket: ClientPollState) => void;
  /** Function that ends an event stream with an error. */
  fail: (ticket: ClientPollState, error: unknown) => void;
}

/**
 * Checks the event queues of paused streams at intervals, because a queue without checks expires. A client may take
 * longer to read the delivered events than the idle timeout of the queue.
 */
export class PausedEventStreamChecks {
  constructor(private readonly options: PausedEventStreamChecksOptions) {}

  /** Checks the event queue of a paused stream at intervals until the stream continues or has ended. */
  startChecksOfStream(ticket: ClientPollState): void {
    const { deadlines, clock, leaseMs } = this.options;
    const { stream } = ticket;
    if (stream === null || !stream.isPaused || ticket.isCompleted || stream.nextCheck !== null) return;
    const expire = (): void => {
      stream.nextCheck = null;
      void this.checkQueueOfStream(ticket);
    };
    stream.nextCheck = deadlines.add({ expire }, clock.now() + leaseMs);
  }

  /** Ends the checks of the event queue of a stream. Further calls have no effect. */
  endChecksOfStream({ stream }: ClientPollState): void {
    if (stream === null || stream.nextCheck === null) return;
    this.options.deadlines.remove(stream.nextCheck);
    stream.nextCheck = null;
  }

  private async checkQueueOfStream(ticket: ClientPollState): Promise<void> {
    const { checks, cancel, fail } = this.options;
    try {
      if ((await checks.checkEventQueueOfPoll(ticket)) === null) cancel(ticket);
      else this.startChecksOfStream(ticket);
    } catch (error) {
      fail(ticket, error);
    }
  }
}
