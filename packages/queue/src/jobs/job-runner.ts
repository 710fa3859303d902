import { DelayedError, UnrecoverableError, type Job } from 'bullmq';
import { errorText, type QueueClock, type QueueLogger, type TraceContext } from '../environment.js';
import { FinalJobError, JobTimeoutError, WorkerStoppingError, type JobDefinition } from './define-job.js';

/** What is stored of a job: its payload, and the request that caused it. */
export interface JobData {
  payload: unknown;
  context: TraceContext;
}

/** What a handler gets beside its payload. */
export interface JobContext extends TraceContext {
  readonly id: string;
  /** From 1. */
  readonly attempt: number;
  /** True when no further attempt follows should this one fail. */
  readonly lastAttempt: boolean;
  /** Aborted by the timeout (reason JobTimeoutError) or by a stop (reason WorkerStoppingError). */
  readonly signal: AbortSignal;
  readonly log: QueueLogger;
}

/** Does the work of a job. May run more than once for one job: a worker can die after the work. */
export type JobHandler<P> = (payload: P, context: JobContext) => Promise<void>;

/** How a runner reaches its surroundings. `logFor` makes the logger of one job. */
export interface RunnerEnvironment {
  clock: QueueClock;
  stopping: AbortSignal;
  logFor: (fields: object) => QueueLogger;
  /** Name of a stored id for the outside; see Jobs. */
  publicId: (stored: string | undefined) => string;
}

/** Runs one job for BullMQ and says through BullMQ's own errors what is to become of it. */
export class JobRunner<P> {
  constructor(
    private readonly definition: JobDefinition<P>,
    private readonly handler: JobHandler<P>,
    private readonly environment: RunnerEnvironment,
  ) {}

  /** Resolves when done; throws to fail the attempt, UnrecoverableError to fail for good, DelayedError to hand back. */
  async run(job: Job<JobData>, token: string | undefined): Promise<void> {
    const { attempts, name } = this.definition;
    const attempt = job.attemptsMade + 1;
    const id = this.environment.publicId(job.id);
    const log = this.environment.logFor({ job: name, jobId: id, attempt, ...job.data.context });
    const parsed = this.definition.payload.safeParse(job.data.payload);
    if (!parsed.success) throw new UnrecoverableError(`payload does not fit: ${parsed.error.message}`);
    try {
      await this.withSignal((signal) =>
        this.handler(parsed.data, { ...job.data.context, id, attempt, lastAttempt: attempt >= attempts, signal, log }),
      );
    } catch (error) {
      if (this.environment.stopping.aborted && error instanceof WorkerStoppingError) {
        await job.moveToDelayed(this.environment.clock.now(), token);
        throw new DelayedError();
      }
      const final = error instanceof FinalJobError || this.definition.finalErrors(error);
      log.warn({ error: errorText(error), final }, 'job attempt failed');
      if (final) throw new UnrecoverableError(errorText(error));
      throw error;
    }
  }

  /** Settles with the work, or as soon as time is up or the process stops, whether the work heeds its signal or not. */
  private async withSignal(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, stopping } = this.environment;
    const controller = new AbortController();
    const { promise: aborted, reject } = rejection();
    const abort = (reason: Error): void => {
      controller.abort(reason);
      reject(reason);
    };
    const onStop = (): void => abort(new WorkerStoppingError('the worker stops'));
    const { timeoutMs, name } = this.definition;
    const timer = clock.setTimeout(() => abort(new JobTimeoutError(`${name} took over ${timeoutMs} ms`)), timeoutMs);
    stopping.addEventListener('abort', onStop, { once: true });
    if (stopping.aborted) onStop();
    try {
      await Promise.race([work(controller.signal), aborted]);
    } catch (error) {
      // A handler that heeds the signal throws the reason or an AbortError of its own: the reason says more.
      throw controller.signal.aborted ? controller.signal.reason : error;
    } finally {
      clock.clearTimeout(timer);
      stopping.removeEventListener('abort', onStop);
    }
  }
}

function rejection(): { promise: Promise<never>; reject: (reason: Error) => void } {
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<never>((_resolve, onReject) => {
    reject = onReject;
  });
  promise.catch(() => {});
  return { promise, reject };
}
