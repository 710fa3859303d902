import type { RepeatedRequest } from './watch/watched-request.js';

/** One line of the table of an app: an operation that is measured. */
export interface Operation<World> {
  readonly name: string;
  /**
   * Sends the requests of one run.
   *
   * @param run 0 for the first, which is not counted when others follow
   * @throws Error when a response is not a success
   * @returns milliseconds if only a part of the work counts, or a remark on the result; otherwise and with a remark the
   * time of the call is taken
   */
  readonly run: (world: World, run: number) => Promise<number | string | void>;
  /** Prepares a run. Not timed; the first call is not watched either. */
  readonly before?: (world: World, run: number) => Promise<void>;
  /** Exact number of runs. Absent: one for warm-up and as many as fit a second, five at least. */
  readonly runs?: number;
  /** Write of the bystander, if the usual one does not suffice. */
  readonly bystander?: (world: World) => RepeatedRequest;
  /** Names the sizes that have data for it; all of them when absent. */
  readonly sizes?: readonly string[];
}

/** The measured values of an operation. Times in milliseconds, memory in MB. */
export interface Measurement {
  /** Null if no run succeeded. */
  readonly medianMs: number | null;
  readonly runs: number;
  /** Largest resident memory of a process, and the part of it that was added during the operation. */
  readonly peakMb: number;
  readonly addedMb: number;
  /** Longest time that a process did not respond to `/health/live`. */
  readonly stallMs: number;
  /** Slowest write of the bystander, and the number of writes that failed. */
  readonly bystanderMs: number;
  readonly bystanderFailures: number;
  /** The remark of the last run. */
  readonly remark?: string;
  /** The error of an operation that failed. Its other values are those until then. */
  readonly error?: string;
}
