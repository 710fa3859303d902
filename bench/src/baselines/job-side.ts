/** Payload of a job, the same for the product and for the baseline; `text` makes it about 200 bytes long. */
export interface JobPayload {
  readonly n: number;
  readonly text: string;
}

/** The product or the baseline of a job benchmark, with a queue on the Redis of the run. */
export interface JobSide {
  /** Adds one job with the given id. */
  add(id: string, payload: JobPayload): Promise<void>;
  addBulk(jobs: readonly { id: string; payload: JobPayload }[]): Promise<void>;
  /** Starts to process jobs; calls `done` for each. */
  work(done: (payload: JobPayload) => void): void;
  stop(): Promise<void>;
}

/** Number of jobs that run concurrently, for the product and for the baseline. */
export const CONCURRENCY = 50;
