import type { QueueClock } from '../environment.js';
import { LinkedList, type LinkedListMember } from './linked-list.js';

/** An object with a deadline, such as a pending poll. */
export interface DeadlineListener {
  /** Callback that is called when the deadline has passed. */
  expire(): void;
}

/** Handle of a registered deadline, with which {@link DeadlineSchedule.remove} removes the deadline. */
export interface RegisteredDeadline {
  readonly step: number;
  readonly place: LinkedListMember<DeadlineListener>;
}

/**
 * Schedule of deadlines for thousands of pending polls. Deadlines are rounded up to steps of `stepMs`, and all
 * deadlines of one step share a timer. A deadline expires at most `stepMs` late and never early.
 */
export class DeadlineSchedule {
  private readonly steps = new Map<
    number,
    { readonly waiting: LinkedList<DeadlineListener>; readonly timer: unknown }
  >();

  constructor(
    private readonly stepMs: number,
    private readonly clock: QueueClock,
  ) {}

  /**
   * Registers the deadline of an object and returns a handle. `at` is the time of the deadline in milliseconds of the
   * clock.
   */
  add(waiting: DeadlineListener, at: number): RegisteredDeadline {
    const step = Math.ceil(at / this.stepMs);
    return { step, place: this.getListenersOfStep(step).appendValue(waiting) };
  }

  remove({ step, place }: RegisteredDeadline): void {
    place.removeFromList();
    const known = this.steps.get(step);
    if (!known || known.waiting.size > 0) return;
    this.clock.clearTimeout(known.timer);
    this.steps.delete(step);
  }

  private getListenersOfStep(step: number): LinkedList<DeadlineListener> {
    const known = this.steps.get(step);
    if (known) return known.waiting;
    const waiting = new LinkedList<DeadlineListener>();
    const timer = this.clock.setTimeout(() => this.expireStep(step), step * this.stepMs - this.clock.now());
    this.steps.set(step, { waiting, timer });
    return waiting;
  }

  private expireStep(step: number): void {
    const known = this.steps.get(step);
    this.steps.delete(step);
    for (const waiting of known?.waiting.toArray() ?? []) waiting.expire();
  }
}
