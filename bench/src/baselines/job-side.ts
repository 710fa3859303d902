/** Payload of a job on both sides; `text` makes it about 200 bytes long. */
export interface JobPayload {
  readonly n: number;
  readonly text: string;
}

/** One side under measurement: a queue of its own on the Redis of the run. */
export interface JobSide {
  /** Adds one job under an id. */
  add(id: string, payload: JobPayload): Promise<void>;
  addBulk(jobs: readonly { id: string; payload: JobPayload }[]): Promise<void>;
  /** Begins to work; `done` is called for each job. */
  work(done: (payload: JobPayload) => void): void;
  stop(): Promise<void>;
}

/** Concurrent jobs on both sides. */
export const CONCURRENCY = 50;
