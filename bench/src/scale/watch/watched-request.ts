/**
 * A request that is repeated at a fixed interval. `{n}` in the path and the body of the request is replaced by the
 * number of the repetition.
 */
export interface RepeatedRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Requests that are repeated while an operation is measured: a health check of every process, and the write of the
 * background client.
 */
export interface MonitoredRequests {
  readonly probes: readonly RepeatedRequest[];
  readonly bystander: RepeatedRequest;
}

/** Slowest response times of the requests that are repeated while an operation runs, in milliseconds. */
export interface SlowestResponseTimes {
  readonly stallMs: number;
  readonly bystanderMs: number;
  readonly bystanderFailures: number;
  readonly failure: string;
}
