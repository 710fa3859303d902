/** Payload of a benchmark job, for the job package and for plain BullMQ; `text` makes it about 200 bytes long. */
export interface JobPayload {
  readonly n: number;
  readonly text: string;
}

/** A job queue under measurement, on the Redis of the benchmark: the job package or plain BullMQ. */
export interface MeasuredJobQueue {
  /** Adds one job with the given id. */
  add(id: string, payload: JobPayload): Promise<void>;
  addBulk(jobs: readonly { id: string; payload: JobPayload }[]): Promise<void>;
  /** Starts to process the queue's jobs, and calls `done` with the payload of each finished job. */
  work(done: (payload: JobPayload) => void): void;
  stop(): Promise<void>;
}

/** Number of jobs that a worker runs concurrently, for the job package and for plain BullMQ. */
export const JOB_CONCURRENCY = 50;
