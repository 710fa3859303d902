/** Payload of a job on both sides; `text` makes it about 200 bytes long. */
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

/** Concurrent jobs on both sides. */
export const CONCURRENCY = 50;
