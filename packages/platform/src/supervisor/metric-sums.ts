import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Figure, MetricsSnapshot } from '../metrics/metrics-snapshot.js';
import { RequestDurations, type RequestDurationSeries } from '../metrics/request-durations.js';

/** Snapshot of the metrics of one process. */
export interface ProcessSnapshot extends MetricsSnapshot {
  readonly pid: number;
}

/**
 * Sum of the metrics of several processes. Counters and histograms are added up. The value of a gauge gets the label
 * `pid`, because a sum of gauges, such as of start times, has no meaning.
 */
export class MetricSums {
  /** Counters and histograms of processes that have ended. Without them the sums would decrease. */
  #ended: MetricsSnapshot = { figures: [], requests: [] };

  /** Adds the last snapshot of a process that has ended to all later sums, without its gauges. */
  addEnded({ figures, requests }: MetricsSnapshot): void {
    const sum = addFigures([this.#ended.figures, withoutGauges(figures)]);
    this.#ended = {
      // The registry of a sum contains plain figures, which its type does not say.
      figures: sum.getMetricsAsArray() as unknown as Figure[],
      requests: addRequests([this.#ended.requests, requests]).snapshot(),
    };
  }

  /** Returns the sum of the running processes and of those that have ended, in the Prometheus text format. */
  async render(processes: readonly ProcessSnapshot[]): Promise<{ contentType: string; text: string }> {
    const labelled = processes.map(({ pid, figures }) => figures.map((figure) => labelGauge(figure, pid)));
    const sum = addFigures([this.#ended.figures, ...labelled]);
    const requests = addRequests([this.#ended.requests, ...processes.map((process) => process.requests)]);
    return { contentType: sum.contentType, text: `${requests.render()}\n${await sum.metrics()}` };
  }
}

/** Returns true for a gauge. prom-client declares types as numbers, but its snapshots contain names. */
function isGauge({ type }: Figure): boolean {
  return String(type) === 'gauge';
}

/** Returns the figures that remain valid for a process that does not respond, or has ended. */
export function withoutGauges(figures: readonly Figure[]): readonly Figure[] {
  return figures.filter((figure) => !isGauge(figure));
}

function labelGauge(figure: Figure, pid: number): Figure {
  if (!isGauge(figure)) return figure;
  const values = figure.values.map((value) => ({ ...value, labels: { ...value.labels, pid: String(pid) } }));
  // prom-client omits or averages some of its gauges when it combines processes.
  return { ...figure, aggregator: 'sum', values };
}

function addFigures(parts: readonly (readonly Figure[])[]): Registry {
  return AggregatorRegistry.aggregate(parts.map((part) => [...part]));
}

function addRequests(parts: readonly (readonly RequestDurationSeries[])[]): RequestDurations {
  const sum = new RequestDurations();
  for (const part of parts) sum.add(part);
  return sum;
}
