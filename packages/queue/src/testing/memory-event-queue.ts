import { randomUUID } from 'node:crypto';
import type { QueueClock } from '../environment.js';
import { userIdOfOwner } from '../event-log/audience.js';
import type { EventStreamRequest } from '../event-log/poll-request.js';
import type { EventQueueRecord } from '../event-log/event-queue-view.js';
import type { EventQueueRegistrationOptions } from '../event-log/register-queue.js';
import { QueueUsageError } from '../queue-usage-error.js';

/** Reason for the end of a poll's wait: a new log entry, the time of a heartbeat, or the end of the poll. */
export type MemoryPollWaitEndReason = 'entry' | 'heartbeat' | 'ended';

/** An event queue of a client, in memory for tests. */
export class MemoryEventQueue {
  readonly record: EventQueueRecord;
  /** Log position up to which the client has acknowledged events. */
  acknowledged: number;
  /** True after the event queue was removed. The polls of a removed queue end. */
  isRemoved = false;
  private readonly idleMs: number;
  private lastPollMs: number;
  private wakeWaiting: ((outcome: MemoryPollWaitEndReason) => void) | null = null;
  private current: object | null = null;

  /** @throws QueueUsageError when an event queue is created with an idle timeout that is not positive */
  constructor(
    options: EventQueueRegistrationOptions,
    start: number,
    private readonly clock: QueueClock,
  ) {
    if (!(options.idleTimeoutSeconds > 0)) throw new QueueUsageError('idleTimeoutSeconds must be positive');
    const { realm, owner, roles = [], filter, capabilities } = options;
    this.record = {
      id: randomUUID(),
      realm,
      owner,
      user: userIdOfOwner(owner),
      roles,
      start,
      filter: JSON.parse(JSON.stringify(filter)) as Record<string, unknown>,
      capabilities: JSON.parse(JSON.stringify(capabilities)) as Record<string, unknown>,
    };
    this.acknowledged = start;
    this.idleMs = options.idleTimeoutSeconds * 1_000;
    this.lastPollMs = clock.now();
  }

  /** True if the time since the client's last poll has reached the idle timeout of the queue. */
  get isExpired(): boolean {
    return this.wakeWaiting === null && this.clock.now() - this.lastPollMs >= this.idleMs;
  }

  get hasWaitingPoll(): boolean {
    return this.wakeWaiting !== null;
  }

  /** Ends the current poll of the event queue, and makes `poll` the current poll. */
  beginPoll(poll: object): void {
    this.endWaitOfPoll('ended');
    this.current = poll;
    this.lastPollMs = this.clock.now();
  }

  /** Returns true while `poll` is the current poll of the event queue and the queue is not removed. */
  isCurrentPoll(poll: object): boolean {
    return this.current === poll && !this.isRemoved;
  }

  /** Ends the wait of the current poll with the given reason. Has no effect if no poll is waiting. */
  endWaitOfPoll(outcome: MemoryPollWaitEndReason): void {
    this.wakeWaiting?.(outcome);
  }

  /**
   * Waits until a new log entry, the time of a heartbeat, the end of the request, or another poll of the queue. Returns
   * the reason for the end of the wait.
   */
  waitForEvents(
    { signal, client }: Pick<EventStreamRequest, 'signal' | 'client'>,
    untilMs: number,
  ): Promise<MemoryPollWaitEndReason> {
    return new Promise((resolve) => {
      const onEnd = (): void => finish('ended');
      const timer = this.clock.setTimeout(() => finish('heartbeat'), untilMs - this.clock.now());
      const finish = (outcome: MemoryPollWaitEndReason): void => {
        this.wakeWaiting = null;
        this.lastPollMs = this.clock.now();
        this.clock.clearTimeout(timer);
        signal?.removeEventListener('abort', onEnd);
        client?.off('close', onEnd);
        resolve(outcome);
      };
      this.wakeWaiting = finish;
      signal?.addEventListener('abort', onEnd);
      client?.on('close', onEnd);
      if (signal?.aborted === true || client?.closed === true) onEnd();
    });
  }
}
