import { AggregatorRegistry, type Registry } from 'prom-client';
import type { MetricWithValues, MetricsSnapshot } from '../metrics/metrics-snapshot.js';
import { RequestDurationHistogram, type RequestDurationSeries } from '../metrics/request-durations.js';

/** Snapshot of the metrics of one process, with its pid. */
export interface ProcessMetricsSnapshot extends MetricsSnapshot {
  readonly pid: number;
}

/**
 * Sum of the metrics of several processes. Counters and histograms are added up. Gauges are not added up, because a sum
 * of values such as start times has no meaning. Instead, each value of a gauge gets the label `pid`.
 */
export class MetricTotals {
  /**
   * Sums of the counters and histograms of processes that have ended. Without these sums, the totals would decrease at
   * the end of a process.
   */
  #ended: MetricsSnapshot = { figures: [], requests: [] };

  /** Adds the last metrics snapshot of an ended process to all later totals. The gauges of the snapshot are omitted. */
  addEndedProcess({ figures, requests }: MetricsSnapshot): void {
    const sum = sumMetrics([this.#ended.figures, excludeGauges(figures)]);
    this.#ended = {
      // The registry of a sum contains plain figures, which its type does not say.
      figures: sum.getMetricsAsArray() as unknown as MetricWithValues[],
      requests: sumRequestDurations([this.#ended.requests, requests]).snapshot(),
    };
  }

  /** Returns the total metrics of the running processes and the ended processes, in the Prometheus text format. */
  async render(processes: readonly ProcessMetricsSnapshot[]): Promise<{ contentType: string; text: string }> {
    const labelled = processes.map(({ pid, figures }) => figures.map((figure) => labelGaugeWithPid(figure, pid)));
    const sum = sumMetrics([this.#ended.figures, ...labelled]);
    const requests = sumRequestDurations([this.#ended.requests, ...processes.map((process) => process.requests)]);
    return { contentType: sum.contentType, text: `${requests.render()}\n${await sum.metrics()}` };
  }
}

/**
 * Returns true if a metric is a gauge. prom-client declares metric types as numbers, but its snapshots contain names.
 */
function isGaugeMetric({ type }: MetricWithValues): boolean {
  return String(type) === 'gauge';
}

/**
 * Returns metrics without gauges. Only the remaining metrics are valid for a process that does not respond or has
 * ended.
 */
export function excludeGauges(figures: readonly MetricWithValues[]): readonly MetricWithValues[] {
  return figures.filter((figure) => !isGaugeMetric(figure));
}

function labelGaugeWithPid(figure: MetricWithValues, pid: number): MetricWithValues {
  if (!isGaugeMetric(figure)) return figure;
  const values = figure.values.map((value) => ({ ...value, labels: { ...value.labels, pid: String(pid) } }));
  // prom-client omits or averages some of its gauges when it combines processes.
  return { ...figure, aggregator: 'sum', values };
}

function sumMetrics(parts: readonly (readonly MetricWithValues[])[]): Registry {
  return AggregatorRegistry.aggregate(parts.map((part) => [...part]));
}

function sumRequestDurations(parts: readonly (readonly RequestDurationSeries[])[]): RequestDurationHistogram {
  const sum = new RequestDurationHistogram();
  for (const part of parts) sum.add(part);
  return sum;
}
