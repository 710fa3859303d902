import type { Job } from 'bullmq';
import { formatErrorText, type QueueLogger, type TraceContext } from '../environment.js';
import { decodeDatesInJsonValue } from '../payload-json.js';
import type { StoredJobData } from './job-attempt.js';
import { toAddedJobId } from './job-ids.js';

/** A permanently failed job in the form that failure hooks receive. */
export interface PermanentJobFailure {
  /** Name of the kind of the failed job. */
  readonly job: string;
  readonly id: string;
  /**
   * Payload of the failed job in its stored form. The payload may not match the job's schema; the mismatch can be the
   * cause of the failure.
   */
  readonly payload: unknown;
  /** Name and message of the error of the job's last attempt. */
  readonly error: string;
  /** Number of failed attempts of the job. */
  readonly attempts: number;
  /** Trace fields of the request that added the job. */
  readonly context: TraceContext;
}

/**
 * Function that is called when a job has failed permanently. The function may be called more than once for a failure.
 */
export type JobFailureHook = (failure: PermanentJobFailure) => Promise<void>;

/** Functions that are called when a job has failed permanently, by name of the kind of job. */
export class JobFailureHooks {
  private readonly byJob = new Map<string, JobFailureHook[]>();

  constructor(private readonly logger: QueueLogger) {}

  addHookOfJobKind(job: string, hook: JobFailureHook): void {
    this.byJob.set(job, [...(this.byJob.get(job) ?? []), hook]);
  }

  /** Calls the failure hooks of a job one after the other. Logs errors that hooks throw. */
  async call(job: Job<StoredJobData>, error: string, attempts: number): Promise<void> {
    const { payload, context } = job.data;
    for (const hook of this.byJob.get(job.name) ?? []) {
      const id = toAddedJobId(job.id);
      try {
        await hook({ job: job.name, id, payload: decodeDatesInJsonValue(payload), error, attempts, context });
      } catch (fault) {
        this.logger.error({ job: job.name, jobId: id, error: formatErrorText(fault) }, 'failure hook of a job failed');
      }
    }
  }
}
