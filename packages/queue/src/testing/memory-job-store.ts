import type { QueueClock } from '../environment.js';
import { toStoredJobId } from '../jobs/job-ids.js';
import type { JobPreparedForBullMq } from '../jobs/job-queues.js';
import { MemoryJob } from './memory-job.js';

/** Store of the jobs of all kinds in memory, oldest first. */
export class MemoryJobStore {
  /** All jobs that were added to the store, including removed jobs. */
  readonly added: MemoryJob[] = [];
  private readonly stored = new Map<string, MemoryJob>();

  constructor(private readonly clock: QueueClock) {}

  /** Adds a job to the store, unless the store contains a job with an equal id. Returns the stored job. */
  addJob(prepared: JobPreparedForBullMq): MemoryJob {
    const known = this.findJobByStoredId(prepared.name, prepared.opts.jobId ?? '');
    if (known !== null) return known;
    const job = new MemoryJob(prepared, this.clock.now());
    this.added.push(job);
    this.stored.set(toStoredJobKey(job.name, job.id), job);
    return job;
  }

  /** Returns a job in memory by the id with which the job was added; null if there is none. */
  findJobByOriginalId(name: string, id: string): MemoryJob | null {
    return this.findJobByStoredId(name, toStoredJobId(id));
  }

  /** Returns the jobs in the store, of one kind or of all kinds. */
  listJobs(name?: string): MemoryJob[] {
    return this.added.filter(
      (job) => (name === undefined || job.name === name) && this.findJobByStoredId(job.name, job.id) === job,
    );
  }

  removeJob(job: MemoryJob): void {
    this.stored.delete(toStoredJobKey(job.name, job.id));
  }

  /**
   * Returns a job by its stored id. Returns null for an unknown id, and for a completed job whose retention has ended.
   */
  private findJobByStoredId(name: string, storedId: string): MemoryJob | null {
    const job = this.stored.get(toStoredJobKey(name, storedId));
    if (job === undefined) return null;
    const { removeOnComplete } = job.opts;
    const keepSeconds = typeof removeOnComplete === 'object' && 'age' in removeOnComplete ? removeOnComplete.age : 0;
    const isExpired =
      job.state === 'completed' && this.clock.now() >= (job.finishedMs ?? 0) + (keepSeconds ?? 0) * 1_000;
    if (!isExpired) return job;
    this.removeJob(job);
    return null;
  }
}

const toStoredJobKey = (name: string, storedId: string): string => `${name}\n${storedId}`;
