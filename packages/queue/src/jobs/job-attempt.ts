import type { Job } from 'bullmq';
import type { QueueLogger, TraceContext } from '../environment.js';
import { encodeDatesForJson } from '../payload-json.js';
import { readChildJobOutcomes, type ChildJobOutcome } from './child-job-outcomes.js';
import { toAddedJobId } from './job-ids.js';

/** Data stored with a job: its payload, and the trace fields of the request that added the job. */
export interface StoredJobData {
  payload: unknown;
  context: TraceContext;
  /** Id of the outbox row of a job that was added in a transaction. */
  row?: number;
}

/** Context of a job attempt. A job handler gets the context in its second argument, after the payload. */
export interface JobContext extends TraceContext {
  readonly id: string;
  /** Number of this attempt to run the job, from 1. */
  readonly attempt: number;
  /** True if the job is not retried when this attempt fails. */
  readonly lastAttempt: boolean;
  /**
   * Signal that is aborted by the time limit (reason JobTimeoutError), an operator (JobCancelledError) or a stop of the
   * process (WorkerStoppingError).
   */
  readonly signal: AbortSignal;
  /** Logger that adds the identity of the job, and of the request that added the job, to every line. */
  readonly log: QueueLogger;
  /**
   * Stores the progress of the job, which `Jobs.find` returns. The progress is any value that JSON can represent. Waits
   * while Redis is unavailable. Does nothing for an inline run.
   */
  readonly reportProgress: (progress: unknown) => Promise<void>;
  /**
   * Returns the outcomes of the jobs that this job has waited for (see `Jobs.addFlow`), in no particular order. Waits
   * while Redis is unavailable.
   */
  readonly children: () => Promise<ChildJobOutcome[]>;
}

/**
 * One attempt to run a job. Signal, logger and id are created when the handler first uses the property. Most handlers
 * use none, and creating all three costs as much as all Redis operations of a job.
 */
export class JobAttempt implements JobContext {
  readonly requestId: string | undefined;
  readonly traceparent: string | undefined;
  readonly attempt: number;
  /** Reason why the attempt was ended early; null unless the attempt was ended early. */
  reason: Error | null = null;
  /** Promise that settles when the handler of the job has ended. */
  worked: Promise<unknown> = Promise.resolve();
  private controller: AbortController | null = null;
  private logger: QueueLogger | null = null;
  private reject: ((reason: Error) => void) | null = null;

  constructor(
    private readonly job: Pick<Job<StoredJobData>, 'id' | 'name' | 'data' | 'attemptsMade'> &
      Partial<Pick<Job<StoredJobData>, 'updateProgress'>>,
    private readonly attempts: number,
    private readonly logFor: (fields: object) => QueueLogger,
  ) {
    this.requestId = job.data.context.requestId;
    this.traceparent = job.data.context.traceparent;
    this.attempt = job.attemptsMade + 1;
  }

  /** Id of the job in Redis; undefined for an inline run, which has no job in Redis. */
  get storedJobId(): string | undefined {
    return this.job.id;
  }

  get id(): string {
    return toAddedJobId(this.job.id);
  }

  get lastAttempt(): boolean {
    return this.attempt >= this.attempts;
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.reason) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  get log(): QueueLogger {
    const { id, attempt, job } = this;
    this.logger ??= this.logFor({ job: job.name, jobId: id, attempt, ...job.data.context });
    return this.logger;
  }

  get reportProgress(): JobContext['reportProgress'] {
    const { job } = this;
    return async (progress) => {
      // An object, because BullMQ stores no null.
      await job.updateProgress?.({ value: encodeDatesForJson(progress) });
    };
  }

  get children(): JobContext['children'] {
    const { job } = this;
    return async () => (isJobStoredInRedis(job) ? readChildJobOutcomes(job) : []);
  }

  /**
   * Runs the work of a job attempt and settles with the result of the work. If the attempt is ended early, settles
   * immediately, even if the work ignores the signal.
   */
  runAttemptWork(work: () => Promise<unknown>): Promise<unknown> {
    return new Promise<unknown>((resolve, reject) => {
      this.reject = reject;
      if (this.reason) reject(this.reason);
      this.worked = work().then(resolve, reject);
    });
  }

  /** Ends the attempt with a reason before the work of the attempt is done. */
  abortAttemptWithReason(reason: Error): void {
    if (this.reason) return;
    this.reason = reason;
    this.controller?.abort(reason);
    this.reject?.(reason);
  }
}

/** Returns true if a job exists in Redis. Returns false for an inline run, which has no job in Redis. */
function isJobStoredInRedis(
  job: object,
): job is Pick<Job<StoredJobData>, 'getChildrenValues' | 'getIgnoredChildrenFailures'> {
  return 'getChildrenValues' in job;
}
