import { randomUUID } from 'node:crypto';
import type { QueueClock } from '../environment.js';
import { userIdOfOwner } from '../event-log/audience.js';
import type { StreamRequest } from '../event-log/poll-request.js';
import type { EventQueueRecord } from '../event-log/event-queue-view.js';
import type { RegisterOptions } from '../event-log/register-queue.js';
import { QueueUsageError } from '../queue-usage-error.js';

/** End of a wait: a new entry, the time of a heartbeat, or a poll that must end. */
export type WaitOutcome = 'entry' | 'heartbeat' | 'ended';

/** A client's event queue in memory. */
export class MemoryEventQueue {
  readonly record: EventQueueRecord;
  /** Position in the log (a unit) up to which the client has acknowledged events. */
  acknowledged: number;
  /** True after the queue was removed; its polls end. */
  isRemoved = false;
  private readonly idleMs: number;
  private lastPollMs: number;
  private wakeWaiting: ((outcome: WaitOutcome) => void) | null = null;
  private current: object | null = null;

  /** @throws QueueUsageError for an idle timeout that is not positive */
  constructor(
    options: RegisterOptions,
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

  /** True if the client has not polled for the idle timeout. */
  get isExpired(): boolean {
    return this.wakeWaiting === null && this.clock.now() - this.lastPollMs >= this.idleMs;
  }

  get isWaiting(): boolean {
    return this.wakeWaiting !== null;
  }

  /** Ends the poll of the queue, if any, and makes another one the current poll. */
  beginPoll(poll: object): void {
    this.wake('ended');
    this.current = poll;
    this.lastPollMs = this.clock.now();
  }

  /** True while no other poll has begun, and the queue is not removed. */
  isCurrent(poll: object): boolean {
    return this.current === poll && !this.isRemoved;
  }

  /** Ends the wait of the current poll. */
  wake(outcome: WaitOutcome): void {
    this.wakeWaiting?.(outcome);
  }

  /** Waits for the next entry, a time, the end of the request, or another poll. */
  wait({ signal, client }: Pick<StreamRequest, 'signal' | 'client'>, untilMs: number): Promise<WaitOutcome> {
    return new Promise((resolve) => {
      const onEnd = (): void => finish('ended');
      const timer = this.clock.setTimeout(() => finish('heartbeat'), untilMs - this.clock.now());
      const finish = (outcome: WaitOutcome): void => {
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
