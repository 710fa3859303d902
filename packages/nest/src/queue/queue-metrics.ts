import type { EventLog, EventLogMetrics, Jobs, Outbox } from '@switchboard/queue';

/** Value of a metric at one time: a single number, or a number for each set of labels. */
export type QueueMetricValue = number | { labels: Record<string, string>; value: number }[];

/** A metric of the queue package, whose value is read when metrics are requested. */
export interface QueueMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly labelNames: readonly string[];
  /**
   * Returns the current value of the metric. The promise is rejected while the server that stores the value is
   * unavailable.
   */
  read(): QueueMetricValue | Promise<QueueMetricValue>;
}

/** Registry of metrics. `Metrics` of `@switchboard/platform` implements this interface. */
export interface MetricsRegistry {
  addGaugeReadAtScrape(name: string, help: string, read: QueueMetric['read'], labelNames?: readonly string[]): void;
  addCounterReadAtScrape(name: string, help: string, read: QueueMetric['read'], labelNames?: readonly string[]): void;
}

/** Parts of a service whose metrics {@link QueueMetrics} reads: the outbox, and optionally jobs and event log. */
export interface QueueMetricSources {
  readonly outbox: Outbox;
  readonly jobs?: Jobs | undefined;
  readonly eventLog?: EventLog | undefined;
}

/** Prometheus metrics of the outbox, the jobs and the event log, without a dependency on a library for metrics. */
export class QueueMetrics {
  constructor(private readonly parts: QueueMetricSources) {}

  /**
   * Lists the metrics of the outbox, and of jobs and event log if the service has them.
   *
   * @param prefix text before the name of each metric, such as `orders_`
   */
  list(prefix = ''): QueueMetric[] {
    const { outbox, jobs, eventLog } = this.parts;
    const metrics = [
      ...outboxMetrics(outbox),
      ...(eventLog ? eventLogMetrics(eventLog) : []),
      ...(jobs ? jobMetrics(jobs) : []),
    ];
    return metrics.map((metric) => ({ ...metric, name: prefix + metric.name }));
  }

  /** Registers all metrics of the queue package in a metrics registry. */
  registerIn(registry: MetricsRegistry, prefix = ''): void {
    for (const { type, name, help, read, labelNames } of this.list(prefix)) {
      if (type === 'gauge') registry.addGaugeReadAtScrape(name, help, read, labelNames);
      else registry.addCounterReadAtScrape(name, help, read, labelNames);
    }
  }

  /**
   * Returns all metrics of the queue package in the text format of Prometheus. The text omits metrics that cannot be
   * read.
   */
  async render(prefix = ''): Promise<string> {
    const texts = await Promise.all(
      this.list(prefix).map(async (metric) => {
        const reading = await Promise.resolve()
          .then(() => metric.read())
          .catch(() => null);
        return reading === null ? '' : renderMetric(metric, reading);
      }),
    );
    return texts.join('');
  }
}

function outboxMetrics(outbox: Outbox): QueueMetric[] {
  const byTopic = { labelNames: ['topic'] };
  return [
    {
      ...byTopic,
      name: 'outbox_rows',
      help: 'Outbox rows that wait for their dispatcher',
      type: 'gauge',
      read: async () => (await outbox.depth()).map(({ topic, waiting }) => ({ labels: { topic }, value: waiting })),
    },
    {
      ...byTopic,
      name: 'outbox_set_aside_rows',
      help: 'Outbox rows that failed too often and wait for an operator',
      type: 'gauge',
      read: async () =>
        (await outbox.depth()).map(({ topic, deadLetters }) => ({ labels: { topic }, value: deadLetters })),
    },
    {
      ...byTopic,
      name: 'outbox_dispatched_total',
      help: 'Outbox rows that this process has dispatched',
      type: 'counter',
      read: () => outbox.dispatched().map(({ topic, count }) => ({ labels: { topic }, value: count })),
    },
    {
      name: 'outbox_oldest_age_seconds',
      help: 'Age of the oldest outbox row that waits',
      type: 'gauge',
      labelNames: [],
      read: () => outbox.oldestAgeSeconds(),
    },
  ];
}

/** Definitions of the event log's metrics: metric name, property of the event log's figures, and description. */
const eventLogFigureDefinitions: [name: string, property: keyof EventLogMetrics, help: string][] = [
  ['event_log_appended_total', 'appended', 'Entries that this process appended to logs'],
  ['event_log_voided_total', 'voided', 'Entries that this process gave up and made void'],
  ['event_log_behind', 'behind', 'Units not yet in Redis at the last sweep'],
  ['event_queues', 'queues', 'Event queues at the last sweep'],
  ['event_polls_held', 'waiters', 'Polls that wait for an event'],
  ['event_streams', 'streams', 'Open streams of events'],
  ['event_log_tail_bytes', 'tailBytes', 'Memory of the event log tails'],
];

function eventLogMetrics(eventLog: EventLog): QueueMetric[] {
  return eventLogFigureDefinitions.map(([name, property, help]) => ({
    name,
    help,
    type: name.endsWith('_total') ? 'counter' : 'gauge',
    labelNames: [],
    read: () => eventLog.metrics()[property],
  }));
}

function jobMetrics(jobs: Jobs): QueueMetric[] {
  return [
    {
      name: 'jobs',
      help: 'Jobs in Redis',
      type: 'gauge',
      labelNames: ['job', 'state'],
      read: async () =>
        (await jobs.metrics()).flatMap(({ job, waiting, active, delayed, failed }) =>
          Object.entries({ waiting, active, delayed, failed }).map(([state, value]) => ({
            labels: { job, state },
            value,
          })),
        ),
    },
    {
      name: 'job_attempts_total',
      help: 'Attempts ended by this process',
      type: 'counter',
      labelNames: ['job', 'outcome'],
      read: async () =>
        (await jobs.metrics()).flatMap(({ job, processed }) =>
          Object.entries(processed).map(([outcome, value]) => ({ labels: { job, outcome }, value })),
        ),
    },
  ];
}

/**
 * Returns a metric in the text format of Prometheus. Label values (names of jobs and topics) are not escaped, because
 * they contain no special characters.
 */
function renderMetric({ name, help, type }: QueueMetric, reading: QueueMetricValue): string {
  const readings = typeof reading === 'number' ? [{ labels: {}, value: reading }] : reading;
  const lines = readings.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
