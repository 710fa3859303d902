/** State of a job on the board. */
export type QueueBoardJobState = 'waiting' | 'active' | 'delayed' | 'waiting-children' | 'completed' | 'failed';

/** A job on the board. */
export interface QueueBoardJob {
  readonly id: string;
  /** Text that the list of jobs shows for the job. */
  readonly name: string;
  readonly state: QueueBoardJobState | 'unknown';
  /** Payload of the job, as the board shows it. */
  readonly data: unknown;
  /**
   * True if a list omits payload, progress, result and stack trace, because those of its jobs exceed the `maxBytes` of
   * the page. The board then shows a notice in place of the payload. Default false.
   */
  readonly isShortened?: boolean | undefined;
  /** Progress that the job has reported. Default: none. */
  readonly progress?: string | number | boolean | object | undefined;
  /** Result of a completed job; null if there is none. */
  readonly result: unknown;
  /** Error of the last failed attempt; null if no attempt has failed. */
  readonly error: string | null;
  /** Stack trace of the error. Default: the error. */
  readonly stack?: string | undefined;
  /** Number of ended attempts. */
  readonly attempts: number;
  readonly addedAt: Date;
  /** Time at which the last attempt started; null before the first attempt. */
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** Name of the worker process of the last attempt; null if it is unknown. */
  readonly worker: string | null;
  /** Time from the addition of a delayed job to its next attempt, in milliseconds. */
  readonly delayMs?: number | undefined;
}

/** A worker process on the board. */
export interface QueueBoardWorker {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly startedAt: Date;
}

/** Page of a list of jobs. The board reads at most 1,000 jobs of all states at a time. */
export interface QueueBoardJobPage {
  readonly offset: number;
  readonly limit: number;
  /**
   * Maximum total size of payloads, progress values, results and stack traces of all states in bytes: 4 MiB, or 0 for an
   * action that needs ids alone. The jobs beyond it are listed without them (`isShortened`).
   */
  readonly maxBytes: number;
}

/** Actions that operators may perform on a queue. The board responds with 404 to an action that a queue does not have. */
export interface QueueBoardQueueActions {
  /** Requeues a failed job. Has no effect if the job has not failed. */
  retryJob?(id: string): Promise<unknown>;
  /** Removes a job. Returns false if the job cannot be removed in its state. */
  removeJob?(id: string): Promise<unknown>;
  /** Makes a delayed job due now. */
  promoteJob?(id: string): Promise<unknown>;
  /** Removes all failed jobs. */
  removeFailedJobs?(): Promise<unknown>;
  pause?(): Promise<unknown>;
  resume?(): Promise<unknown>;
}

/** A queue on the board, such as a kind of job. A service may describe its own queues, whose jobs are stored elsewhere. */
export interface QueueBoardQueue extends QueueBoardQueueActions {
  /** Unique name of the queue, which is a part of URLs. */
  readonly name: string;
  /** Text that the board shows in place of the name. Default: the name. */
  readonly displayName?: string;
  readonly description: string;
  /** States of jobs that the queue lists. */
  readonly states: readonly QueueBoardJobState[];
  /** True if completed jobs may be requeued too. Default false. */
  readonly retriesCompletedJobs?: boolean;
  countJobs(): Promise<Partial<Record<QueueBoardJobState, number>>>;
  /** Lists jobs in any of the states. If a queue has a list for each state, offset and limit apply to each. */
  listJobs(states: readonly QueueBoardJobState[], page: QueueBoardJobPage): Promise<readonly QueueBoardJob[]>;
  findJob(id: string): Promise<QueueBoardJob | null>;
  /** Lists the worker processes of the queue. Default: the board shows no workers. */
  listWorkers?(): Promise<readonly QueueBoardWorker[]>;
  /** Default: the queue is not paused. */
  isPaused?(): Promise<boolean>;
}
