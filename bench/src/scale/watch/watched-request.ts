/**
 * A request that is repeated at an interval. `{n}` in its path and body is replaced by the number of the repetition.
 */
export interface RepeatedRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Requests that a watch repeats: probes of every process, and the bystander's write. */
export interface WatchedRequests {
  readonly probes: readonly RepeatedRequest[];
  readonly bystander: RepeatedRequest;
}

/** The result of a watch. Times in milliseconds. */
export interface WatchReport {
  readonly stallMs: number;
  readonly bystanderMs: number;
  readonly bystanderFailures: number;
  readonly failure: string;
}
