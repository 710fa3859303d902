/**
 * Upper bounds of the histogram's buckets in seconds. The highest bounds distinguish long polls from slow responses.
 */
const DURATION_BUCKET_BOUNDS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 90,
];

const REQUEST_DURATION_METRIC_NAME = 'http_request_duration_seconds';

/** Durations of all requests with the same method, route and status, as one series of a histogram. */
export interface RequestDurationSeries {
  /** Labels of the series in the Prometheus text format. */
  labels: string;
  /**
   * Number of requests in each bucket of the histogram. The numbers are not cumulative. The last bucket has no upper
   * bound.
   */
  counts: number[];
  sum: number;
}

/**
 * Histogram of request durations by series. The class replaces the histogram of prom-client, which validates and hashes
 * labels at each observation. For a small response, that takes half as much time as all work of Fastify. This class
 * finds a series by a single string.
 */
export class RequestDurationHistogram {
  readonly #series = new Map<string, RequestDurationSeries>();

  /**
   * Adds the duration of one completed request to the histogram. `route` is the pattern of the route, never the path of
   * the request.
   */
  observe(method: string, route: string, status: number, seconds: number): void {
    const key = `${method} ${status} ${route}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = {
        labels: formatLabels(method, route, status),
        counts: DURATION_BUCKET_BOUNDS_SECONDS.map(() => 0).concat(0),
        sum: 0,
      };
      this.#series.set(key, series);
    }
    let bucket = 0;
    while (
      bucket < DURATION_BUCKET_BOUNDS_SECONDS.length &&
      seconds > (DURATION_BUCKET_BOUNDS_SECONDS[bucket] ?? Infinity)
    ) {
      bucket++;
    }
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
  }

  /** Returns a copy of all series of the histogram, which can be sent to another process. */
  snapshot(): RequestDurationSeries[] {
    return [...this.#series.values()].map((series) => ({ ...series, counts: [...series.counts] }));
  }

  /** Adds the series of another process to this histogram. */
  add(snapshot: readonly RequestDurationSeries[]): void {
    for (const added of snapshot) {
      const series = this.#series.get(added.labels);
      if (series === undefined) this.#series.set(added.labels, { ...added, counts: [...added.counts] });
      else {
        series.counts = series.counts.map((count, bucket) => count + (added.counts[bucket] ?? 0));
        series.sum += added.sum;
      }
    }
  }

  /** Returns the histogram in the Prometheus text format, version 0.0.4. */
  render(): string {
    const lines = [
      `# HELP ${REQUEST_DURATION_METRIC_NAME} Time from the head of a request to the end of its response`,
      `# TYPE ${REQUEST_DURATION_METRIC_NAME} histogram`,
    ];
    for (const { labels, counts, sum } of this.#series.values()) {
      let total = 0;
      for (const [bucket, count] of counts.entries()) {
        total += count;
        lines.push(
          `${REQUEST_DURATION_METRIC_NAME}_bucket{le="${DURATION_BUCKET_BOUNDS_SECONDS[bucket] ?? '+Inf'}",${labels}} ${total}`,
        );
      }
      lines.push(
        `${REQUEST_DURATION_METRIC_NAME}_sum{${labels}} ${sum}`,
        `${REQUEST_DURATION_METRIC_NAME}_count{${labels}} ${total}`,
      );
    }
    return `${lines.join('\n')}\n`;
  }
}

function formatLabels(method: string, route: string, status: number): string {
  return `method="${method}",route="${escapeLabelValue(route)}",status="${status}"`;
}

function escapeLabelValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
