/** A request that is repeated at an interval. `{n}` in path and body becomes the number of the repetition. */
export interface RepeatedRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The requests that a watch repeats: the probes of every process, and the write of the bystander. */
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
