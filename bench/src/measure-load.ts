import { Pool } from 'undici';

/**
 * A request that the benchmark repeats to measure throughput. The function `path` returns the URL path of each
 * repetition, so that writes can differ.
 */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string | (() => string);
  readonly headers?: Record<string, string>;
  readonly body?: () => string;
  readonly expectStatus: number;
}

/**
 * Settings of a throughput measurement: the number of concurrent keep-alive connections, and the number of seconds for
 * which the connections repeat a request.
 */
export interface ThroughputMeasurementSettings {
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Repeats a request over keep-alive connections. Each connection sends the next request as soon as it has read the
 * previous response.
 *
 * @returns completed requests per second
 * @throws Error if a response has an unexpected status, because fast rejections would distort the result
 */
export async function measureRequestsPerSecond(
  origin: string,
  request: LoadRequest,
  settings: ThroughputMeasurementSettings,
): Promise<number> {
  const pool = new Pool(origin, { connections: settings.connections, pipelining: 1 });
  const started = performance.now();
  const end = started + settings.seconds * 1000;
  let completed = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() < end) {
      const response = await pool.request({
        method: request.method,
        path: typeof request.path === 'string' ? request.path : request.path(),
        ...(request.headers ? { headers: request.headers } : {}),
        ...(request.body ? { body: request.body() } : {}),
      });
      if (response.statusCode !== request.expectStatus) {
        throw new Error(`${origin} responded with ${response.statusCode}: ${await response.body.text()}`);
      }
      await response.body.arrayBuffer();
      completed += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: settings.connections }, loop));
  } finally {
    await pool.close();
  }
  return completed / ((performance.now() - started) / 1000);
}

/** Returns the value below which the given fraction (0 to 1) of the samples lies. */
export function computeQuantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.floor(share * sorted.length));
  return sorted[index] ?? Number.NaN;
}

export const computeMedian = (samples: readonly number[]): number => computeQuantile(samples, 0.5);
