import type { Registry } from 'prom-client';
import type { RequestDurationSeries } from './request-durations.js';

/** Metric of the library prom-client with its values. */
export type MetricWithValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

/** Metrics of a process at one point in time, in a form that can be sent to another process. */
export interface MetricsSnapshot {
  /** Metrics with values in the registry of prom-client. */
  readonly figures: readonly MetricWithValues[];
  readonly requests: readonly RequestDurationSeries[];
}

/**
 * Returns the metrics of a registry with their values. Omits values that JSON cannot represent, such as the mean of no
 * observations.
 */
export async function readMetricsWithValues(registry: Registry): Promise<readonly MetricWithValues[]> {
  const figures = await registry.getMetricsAsJSON();
  return figures.map((figure) => ({ ...figure, values: figure.values.filter(({ value }) => Number.isFinite(value)) }));
}
