import { DelayedError, UnrecoverableError, type Job } from 'bullmq';
import { z } from 'zod';
import { errorText, type QueueClock, type QueueLogger, type TraceContext } from '../environment.js';
import { reviveDates } from '../payload-json.js';
import { Attempt, type JobContext, type JobData } from './attempt.js';
import {
  FinalJobError,
  JobCancelledError,
  JobTimeoutError,
  WorkerStoppingError,
  type JobDefinition,
} from './define-job.js';
import type { RateLimitGate } from './rate-limit-gate.js';
import { storedId } from './job-ids.js';

/** Does the work of a job. May run more than once for one job: a worker can die after the work. */
export type JobHandler<P> = (payload: P, context: JobContext) => Promise<void>;

/** Dependencies of a runner. `logFor` makes the logger of one job; without a gate every job may go. */
export interface RunnerEnvironment<P> {
  clock: QueueClock;
  stopping: AbortSignal;
  logFor: (fields: object) => QueueLogger;
  gate: RateLimitGate<P> | null;
}

/** Runs jobs of one kind for BullMQ and maps outcomes to BullMQ's errors. */
export class JobRunner<P> {
  /** Time that attempts have taken which have ended, in milliseconds. */
  workedMs = 0;
  private readonly running = new Set<Attempt>();
  /** The part of it that no worker of BullMQ waits for. */
  private readonly inlineRuns = new Set<Promise<void>>();

  constructor(
    private readonly definition: JobDefinition<P, unknown>,
    private readonly handler: JobHandler<P>,
    private readonly environment: RunnerEnvironment<P>,
  ) {
    environment.stopping.addEventListener('abort', () => {
      for (const attempt of this.running) attempt.end(stopped());
    });
  }

  /** Resolves when done; throws to fail the attempt, UnrecoverableError to fail for good, DelayedError to hand back. */
  async run(job: Job<JobData>, token: string | undefined): Promise<void> {
    const parsed = this.definition.payload.safeParse(reviveDates(job.data.payload));
    if (!parsed.success) throw new UnrecoverableError(`payload does not fit: ${z.prettifyError(parsed.error)}`);
    const { gate } = this.environment;
    if (!gate) return this.attempt(job, token, parsed.data);
    const admission = await gate.tryAcquire(parsed.data, job.id ?? '');
    if ('waitMs' in admission) return handBack(job, token, admission.waitMs);
    try {
      await this.attempt(job, token, parsed.data);
    } finally {
      admission.done();
    }
  }

  /** Whether there is room for work that has no job. */
  hasRoom(given: unknown): boolean {
    return this.hasRoomFor(this.definition.payload.parse(given));
  }

  /** Runs work that has no job, see `Jobs.inlineRunner`; null when there is no room for it. */
  runInline(given: unknown, id: string, context: TraceContext): Promise<void> | null {
    const { definition, environment } = this;
    const payload = definition.payload.parse(given);
    if (!this.hasRoomFor(payload)) return null;
    const done = environment.gate?.acquire(payload) ?? (() => {});
    const work = { id: storedId(id), name: definition.name, data: { payload, context }, attemptsMade: 0 };
    const attempt = new Attempt(work, 1, environment.logFor);
    const run = this.toItsEnd(attempt, payload, done).finally(() => this.inlineRuns.delete(run));
    this.inlineRuns.add(run);
    return run;
  }

  private hasRoomFor(payload: P): boolean {
    const { stopping, gate } = this.environment;
    return !stopping.aborted && this.running.size < this.definition.concurrency && (gate?.isOpen(payload) ?? true);
  }

  /** Releases the slot when the attempt is over, and resolves with its handler. */
  private async toItsEnd(attempt: Attempt, payload: P, done: () => void): Promise<void> {
    try {
      await this.perform(attempt, payload);
    } finally {
      done();
      await attempt.worked;
    }
  }

  /** Settles when work that has no job is done. */
  async idle(): Promise<void> {
    while (this.inlineRuns.size > 0) await Promise.allSettled(this.inlineRuns);
  }

  /** Attempts under way. */
  get active(): number {
    return this.running.size;
  }

  /** Ends the attempt of a job for good, if it is under way here. */
  cancel(storedId: string): void {
    for (const attempt of this.running) {
      if (attempt.storedId === storedId) attempt.end(new JobCancelledError('cancelled by an operator'));
    }
  }

  private async attempt(job: Job<JobData>, token: string | undefined, payload: P): Promise<void> {
    const { definition, environment } = this;
    const attempt = new Attempt(job, job.opts.attempts ?? definition.attempts, environment.logFor);
    try {
      await this.perform(attempt, payload);
    } catch (error) {
      if (attempt.reason instanceof WorkerStoppingError) return await handBack(job, token, 0);
      // A handler that heeds the signal throws an error of its own: the reason says more.
      throw this.failure(attempt, attempt.reason ?? error);
    }
  }

  /** Runs the handler until it is done or the attempt is aborted. */
  private async perform(attempt: Attempt, payload: P): Promise<void> {
    const { definition, environment, running } = this;
    const { name, timeoutMs } = definition;
    const { clock, stopping } = environment;
    const late = (): void => attempt.end(new JobTimeoutError(`${name} took over ${timeoutMs} ms`));
    const timer = clock.setTimeout(late, timeoutMs);
    const startedAt = clock.now();
    running.add(attempt);
    if (stopping.aborted) attempt.end(stopped());
    try {
      await attempt.during(() => this.handler(payload, attempt));
    } finally {
      clock.clearTimeout(timer);
      running.delete(attempt);
      this.workedMs += clock.now() - startedAt;
    }
  }

  /** Never the handler's own error: BullMQ would take one of an unlucky name or message for an order. */
  private failure(attempt: Attempt, error: unknown): Error {
    const final = error instanceof FinalJobError || this.definition.finalErrors(error);
    const text = errorText(error);
    attempt.log.warn({ error: text, final }, 'job attempt failed');
    const failure = final ? new UnrecoverableError(text) : new Error(text);
    if (error instanceof Error && error.stack !== undefined) failure.stack = error.stack;
    return failure;
  }
}

const stopped = (): Error => new WorkerStoppingError('the worker stops');

/** The job waits and runs again, here or elsewhere, as the same attempt. */
async function handBack(job: Job<JobData>, token: string | undefined, waitMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + waitMs, token);
  throw new DelayedError();
}
