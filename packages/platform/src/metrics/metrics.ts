import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type MetricsSnapshot, readMetricsWithValues } from './metrics-snapshot.js';
import { RequestDurationHistogram } from './request-durations.js';

/** Value of a gauge that is read when metrics are requested: a single number, or a number for each set of labels. */
export type GaugeValue = number | { labels: Record<string, string>; value: number }[];

/** Numbers of one class of database work: its connections in use, and work that waits for a connection. */
interface MeasuredWorkClass {
  readonly inUse: number;
  readonly waiting: number;
  /** Number of waits for a connection that have reached their time limit since the start of the process. */
  readonly expired: number;
}

/** Numbers of connections of a pool, provided by `pg.Pool` and by `Database.poolCounts` of `@switchboard/database`. */
export interface MeasuredConnectionPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly classes?: Readonly<Record<string, MeasuredWorkClass>>;
}

/** Metrics of one process in the Prometheus text format. `startMetricsServer` serves these metrics over HTTP. */
export class Metrics {
  /** Registry of prom-client, for features of prom-client that this class does not provide. */
  readonly registry = new Registry();
  readonly #requests = new RequestDurationHistogram();
  readonly #pools = new Map<string, MeasuredConnectionPool>();
  readonly #readErrors: Counter<'metric'>;

  /** Starts to measure this process: memory, CPU, garbage collection, and event loop lag (`nodejs_eventloop_lag_*`). */
  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#readErrors = this.addCounter({
      name: 'metric_read_errors_total',
      help: 'Figures that could not be read at a scrape',
      labelNames: ['metric'],
    });
  }

  /** Registers a counter metric: a number that only increases. */
  addCounter<L extends string = string>(o: { name: string; help: string; labelNames?: readonly L[] }): Counter<L> {
    return new Counter({ ...o, registers: [this.registry] });
  }

  /** Registers a gauge metric: a value that can increase and decrease. */
  addGauge<L extends string = string>(o: { name: string; help: string; labelNames?: readonly L[] }): Gauge<L> {
    return new Gauge({ ...o, registers: [this.registry] });
  }

  /**
   * Registers a histogram metric. `buckets` are the upper bounds of the buckets, in the unit that the metric name
   * contains.
   */
  addHistogram<L extends string = string>(o: {
    name: string;
    help: string;
    labelNames?: readonly L[];
    buckets: number[];
  }): Histogram<L> {
    return new Histogram({ ...o, registers: [this.registry] });
  }

  /**
   * Registers a gauge metric whose value is read whenever metrics are requested, such as the length of a queue. If
   * reading the value fails, the response omits this gauge, and `metric_read_errors_total` is incremented. Other
   * metrics are not affected.
   */
  addGaugeReadAtScrape(
    name: string,
    help: string,
    read: () => GaugeValue | Promise<GaugeValue>,
    labelNames: readonly string[] = [],
  ): void {
    const show = async (): Promise<void> => {
      const isRead = await this.#updateMetric(gauge, name, read, (labels, value) => gauge.set(labels, value));
      if (!isRead) removeMetricValues(gauge, labelNames);
    };
    const gauge: Gauge = new Gauge({ name, help, labelNames, registers: [this.registry], collect: show });
  }

  /**
   * Registers a counter metric whose value is read whenever metrics are requested, such as a count that another part of
   * the service maintains. If reading the value fails, the counter retains the last value, because a smaller value
   * would look like a restart. In this case, `metric_read_errors_total` is incremented.
   */
  addCounterReadAtScrape(
    name: string,
    help: string,
    read: () => GaugeValue | Promise<GaugeValue>,
    labelNames: readonly string[] = [],
  ): void {
    const show = async (): Promise<void> => {
      await this.#updateMetric(counter, name, read, (labels, value) => counter.inc(labels, value));
    };
    const counter: Counter = new Counter({ name, help, labelNames, registers: [this.registry], collect: show });
    // Until the first successful read the metric has no value. prom-client begins with 0.
    removeMetricValues(counter, labelNames);
  }

  /**
   * Registers metrics for a connection pool. The numbers of connections are exported as
   * `db_pool_connections{pool,state}` with the states total, idle and waiting. For a pool with classes of database
   * work, also exports `db_work{pool,class,state}`, with the states in_use and waiting, and `db_expired_waits_total`.
   */
  addPoolMetrics(name: string, pool: MeasuredConnectionPool): void {
    this.#pools.set(name, pool);
    if (this.#pools.size > 1) {
      return;
    }
    const read = (): GaugeValue =>
      [...this.#pools].flatMap(([poolName, { totalCount, idleCount, waitingCount }]) => [
        { labels: { pool: poolName, state: 'total' }, value: totalCount },
        { labels: { pool: poolName, state: 'idle' }, value: idleCount },
        { labels: { pool: poolName, state: 'waiting' }, value: waitingCount },
      ]);
    this.addGaugeReadAtScrape('db_pool_connections', 'Database connections, and callers waiting for one', read, [
      'pool',
      'state',
    ]);
    this.#watchWorkClasses();
  }

  #watchWorkClasses(): void {
    const classes = (): { labels: { pool: string; class: string }; figures: MeasuredWorkClass }[] =>
      [...this.#pools].flatMap(([pool, watched]) =>
        Object.entries(watched.classes ?? {}).map(([name, figures]) => ({ labels: { pool, class: name }, figures })),
      );
    this.addGaugeReadAtScrape(
      'db_work',
      'Work that has a database connection, and work that waits for one',
      () =>
        classes().flatMap(({ labels, figures }) => [
          { labels: { ...labels, state: 'in_use' }, value: figures.inUse },
          { labels: { ...labels, state: 'waiting' }, value: figures.waiting },
        ]),
      ['pool', 'class', 'state'],
    );
    this.addCounterReadAtScrape(
      'db_expired_waits_total',
      'Work that was refused because it waited too long for a database connection',
      () => classes().map(({ labels, figures }) => ({ labels, value: figures.expired })),
      ['pool', 'class'],
    );
  }

  /**
   * Records one completed request in `http_request_duration_seconds`.
   *
   * @param route pattern of the route, never the path of the request, because the number of series must not depend on
   *   clients
   */
  observeRequest(method: string, route: string, status: number, seconds: number): void {
    this.#requests.observe(method, route, status, seconds);
  }

  /** Reads the value of a metric and stores it. If reading fails, leaves the metric unchanged and returns false. */
  async #updateMetric(
    figure: Counter | Gauge,
    name: string,
    read: () => GaugeValue | Promise<GaugeValue>,
    set: (labels: Record<string, string>, value: number) => void,
  ): Promise<boolean> {
    try {
      const reading = await read();
      // Nothing is awaited from here on. Otherwise two concurrent scrapes would both increase a counter.
      figure.reset();
      for (const { labels, value } of typeof reading === 'number' ? [{ labels: {}, value: reading }] : reading) {
        set(labels, value);
      }
      return true;
    } catch {
      this.#readErrors.inc({ metric: name });
      return false;
    }
  }

  /** Returns all metrics of this process in a form that a supervisor can add to the metrics of other processes. */
  async snapshot(): Promise<MetricsSnapshot> {
    return { figures: await readMetricsWithValues(this.registry), requests: this.#requests.snapshot() };
  }

  /** Returns all metrics of this process in the Prometheus text format, with the content type of the text. */
  async render(): Promise<{ contentType: string; text: string }> {
    const text = `${this.#requests.render()}\n${await this.registry.metrics()}`;
    return { contentType: this.registry.contentType, text };
  }
}

/** Removes all values of a metric, so that responses to metric requests omit the metric. */
function removeMetricValues(figure: Counter | Gauge, labelNames: readonly string[]): void {
  figure.reset();
  // After a reset a metric without labels has the value 0. prom-client throws if one with labels is removed like this.
  if (labelNames.length === 0) figure.remove();
}
