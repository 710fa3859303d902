import type { RepeatedRequest } from './watch/watched-request.js';

/** An operation of a service that is measured. Each is one row of the service's result table. */
export interface MeasuredOperation<World> {
  readonly name: string;
  /**
   * Sends the requests of one run.
   *
   * @param run number of the run; 0 is the first, which is not counted if at least two others follow
   * @throws Error if a response is not a success
   * @returns milliseconds if only a part of the run is to be timed, or a remark on the result; without milliseconds the
   * duration of the call is used
   */
  readonly run: (world: World, run: number) => Promise<number | string | void>;
  /** Prepares one run of the operation. It is not timed; before the first run it is not watched either. */
  readonly before?: (world: World, run: number) => Promise<void>;
  /** Exact number of runs. If absent: one for warm-up and at least five more, up to 40 in total if they are short. */
  readonly runs?: number;
  /** Write that the bystander client repeats during the operation; undefined for the default write of the app. */
  readonly bystander?: (world: World) => RepeatedRequest;
  /** Names of the data sizes at which the operation is measured; undefined: all. */
  readonly sizes?: readonly string[];
}

/** Measured values of one operation. Times are in milliseconds, memory in MB. */
export interface OperationMeasurement {
  /** Median time of the counted runs, in milliseconds; null if no run succeeded. */
  readonly medianMs: number | null;
  readonly runs: number;
  /** Peak resident memory of a process of the service during the operation, in MB. */
  readonly peakMb: number;
  /** Increase of the process's resident memory during the operation, in MB. */
  readonly addedMb: number;
  /** Longest time in which a process of the service did not respond to `/health/live`, in milliseconds. */
  readonly stallMs: number;
  /** Duration of the bystander client's longest write, in milliseconds. */
  readonly bystanderMs: number;
  /** Number of failed writes of the bystander client. */
  readonly bystanderFailures: number;
  /** The operation's remark on the result of its last run. */
  readonly remark?: string;
  /** Error of a failed operation. The other values were measured before the error. */
  readonly error?: string;
}
