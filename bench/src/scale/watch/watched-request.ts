/**
 * A request that is repeated at an interval. `{n}` in its path and body is replaced by the number of the repetition.
 */
export interface RepeatedRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Requests that a watch repeats: a health probe of every process, and the write of the bystander client. */
export interface WatchedRequests {
  readonly probes: readonly RepeatedRequest[];
  readonly bystander: RepeatedRequest;
}

/** Slowest times of a watch's requests, in milliseconds. */
export interface WatchReport {
  readonly stallMs: number;
  readonly bystanderMs: number;
  readonly bystanderFailures: number;
  readonly failure: string;
}
