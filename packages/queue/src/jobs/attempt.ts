import type { Job } from 'bullmq';
import type { QueueLogger, TraceContext } from '../environment.js';
import { publicId } from './job-ids.js';

/** Data stored with a job: its payload, and the request that caused it. */
export interface JobData {
  payload: unknown;
  context: TraceContext;
}

/** Context of a handler in addition to its payload. */
export interface JobContext extends TraceContext {
  readonly id: string;
  /** From 1. */
  readonly attempt: number;
  /** True when no further attempt follows should this one fail. */
  readonly lastAttempt: boolean;
  /** Aborted by the timeout (reason JobTimeoutError), an operator (JobCancelledError) or a stop (WorkerStoppingError). */
  readonly signal: AbortSignal;
  /** Names the job and the request that caused it in every line. */
  readonly log: QueueLogger;
}

/**
 * One attempt under way. Signal, logger and id are made for handlers that ask for them: most do not, and making them
 * costs as much as moving the job.
 */
export class Attempt implements JobContext {
  readonly requestId: string | undefined;
  readonly traceparent: string | undefined;
  readonly attempt: number;
  /** Why the attempt ended early; null while it did not. */
  reason: Error | null = null;
  /** Settles when the work itself has ended. */
  worked: Promise<void> = Promise.resolve();
  private controller: AbortController | null = null;
  private logger: QueueLogger | null = null;
  private reject: ((reason: Error) => void) | null = null;

  constructor(
    private readonly job: Pick<Job<JobData>, 'id' | 'name' | 'data' | 'attemptsMade'>,
    private readonly attempts: number,
    private readonly logFor: (fields: object) => QueueLogger,
  ) {
    this.requestId = job.data.context.requestId;
    this.traceparent = job.data.context.traceparent;
    this.attempt = job.attemptsMade + 1;
  }

  /** The id in Redis, undefined for none. */
  get storedId(): string | undefined {
    return this.job.id;
  }

  get id(): string {
    return publicId(this.job.id);
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

  /** Settles with the work, or as soon as the attempt is ended, whether the work heeds its signal or not. */
  during(work: () => Promise<void>): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.reject = reject;
      if (this.reason) reject(this.reason);
      this.worked = work().then(resolve, reject);
    });
  }

  /** Ends it early. */
  end(reason: Error): void {
    if (this.reason) return;
    this.reason = reason;
    this.controller?.abort(reason);
    this.reject?.(reason);
  }
}
