import type { QueueClock } from '../environment.js';

/** Something that waits until a moment. */
export interface Waiting {
  /** The moment has come. */
  expire(): void;
}

/**
 * Moments that thousands wait for, in steps: who waits for the same step shares its timer. A moment comes up to
 * `stepMs` late and never early.
 */
export class Deadlines {
  private readonly steps = new Map<number, { readonly waiting: Set<Waiting>; readonly timer: unknown }>();

  constructor(
    private readonly stepMs: number,
    private readonly clock: QueueClock,
  ) {}

  /** Waits for `at`, in milliseconds of the clock. @returns the step, for {@link remove} */
  add(waiting: Waiting, at: number): number {
    const step = Math.ceil(at / this.stepMs);
    const known = this.steps.get(step);
    if (known) {
      known.waiting.add(waiting);
    } else {
      const timer = this.clock.setTimeout(() => this.come(step), step * this.stepMs - this.clock.now());
      this.steps.set(step, { waiting: new Set([waiting]), timer });
    }
    return step;
  }

  remove(waiting: Waiting, step: number): void {
    const known = this.steps.get(step);
    if (!known) return;
    known.waiting.delete(waiting);
    if (known.waiting.size > 0) return;
    this.clock.clearTimeout(known.timer);
    this.steps.delete(step);
  }

  private come(step: number): void {
    const known = this.steps.get(step);
    this.steps.delete(step);
    for (const waiting of known?.waiting ?? []) waiting.expire();
  }
}
