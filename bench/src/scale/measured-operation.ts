import type { RepeatedRequest } from './watch/watched-request.js';

/** A measured operation of a service. Each operation is one row of the service's result table. */
export interface MeasuredOperation<World> {
  readonly name: string;
  /**
   * Sends the requests of one run of a measured operation.
   *
   * @param run number of the run; run 0 is not counted if at least two other runs follow
   * @throws Error if a response is not a success
   * @returns the measured milliseconds if only a part of the run is timed, or a remark on the result; without
   * milliseconds, the duration of the call is used
   */
  readonly run: (world: World, run: number) => Promise<number | string | void>;
  /**
   * Prepares one run of the operation. The preparation is not timed. For the first run, it happens before the
   * requests start that monitor the service.
   */
  readonly before?: (world: World, run: number) => Promise<void>;
  /**
   * Exact number of runs. If undefined, the operation runs once for warm-up and at least five more times. Short runs
   * are repeated up to 40 times in total.
   */
  readonly runs?: number;
  /**
   * Returns the write that a background client repeats during the operation. If undefined, the background client
   * repeats the default write of the app.
   */
  readonly bystander?: (world: World) => RepeatedRequest;
  /** Names of the data sizes at which the operation is measured; undefined for all sizes. */
  readonly sizes?: readonly string[];
}

/** Measured values of one operation. Times are in milliseconds, memory in MB. */
export interface OperationMeasurement {
  /** Median duration of the counted runs of an operation, in milliseconds; null if no run succeeded. */
  readonly medianMs: number | null;
  readonly runs: number;
  /** Peak resident memory of a process of the measured service during the operation, in MB. */
  readonly peakMb: number;
  /** Increase of a service process's resident memory during the operation, in MB. */
  readonly addedMb: number;
  /** Longest time in milliseconds during which a process of the service did not respond to `/health/live`. */
  readonly stallMs: number;
  /** Longest duration of a write by the background client during the operation, in milliseconds. */
  readonly bystanderMs: number;
  /** Number of failed writes of the background client during the operation. */
  readonly bystanderFailures: number;
  /** Remark of the operation about the result of its last run; undefined if there is no remark. */
  readonly remark?: string;
  /**
   * Error message of a failed operation; undefined if no run failed. The other values of the measurement were measured
   * before the error.
   */
  readonly error?: string;
}
