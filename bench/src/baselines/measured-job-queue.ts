/**
 * Payload of a benchmark job, used with the job package and with plain BullMQ. The field `text` pads the payload to
 * about 200 bytes.
 */
export interface BenchmarkJobPayload {
  readonly n: number;
  readonly text: string;
}

/**
 * Job queue that the benchmark measures: the queue of the job package or a queue of plain BullMQ. Stores its jobs in
 * the Redis of the benchmark.
 */
export interface MeasuredJobQueue {
  /** Adds one job with the given job id and payload to the measured queue. */
  add(id: string, payload: BenchmarkJobPayload): Promise<void>;
  addBulk(jobs: readonly { id: string; payload: BenchmarkJobPayload }[]): Promise<void>;
  /** Starts to process the queue's jobs, and calls `done` with the payload of each finished job. */
  work(done: (payload: BenchmarkJobPayload) => void): void;
  stop(): Promise<void>;
}

/** Number of jobs that a worker runs concurrently, for the job package and for plain BullMQ. */
export const JOB_CONCURRENCY = 50;
