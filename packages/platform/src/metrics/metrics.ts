import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { RequestDurations } from './request-durations.js';

/** Value of a gauge at a scrape: one number, or one for each set of labels. */
export type GaugeReading = number | { labels: Record<string, string>; value: number }[];

/** Figures of the work of one class that a pool shares its connections among. */
interface WatchedClass {
  readonly inUse: number;
  readonly waiting: number;
  /** Pieces of work that waited too long, since the start. */
  readonly expired: number;
}

/** Figures of a connection pool; `pg.Pool` has these, and `Database.figures` of `@switchboard/database`. */
export interface WatchedPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly classes?: Readonly<Record<string, WatchedClass>>;
}

/** The figures of one process in Prometheus text form. `startMetricsServer` serves them. */
export class Metrics {
  /** Anything that prom-client can do may be done with it. */
  readonly registry = new Registry();
  readonly #requests = new RequestDurations();
  readonly #pools = new Map<string, WatchedPool>();
  readonly #readErrors: Counter<'metric'>;

  /** Starts observing the process: memory, CPU, garbage collection, event loop lag (`nodejs_eventloop_lag_*`). */
  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#readErrors = this.counter({
      name: 'metric_read_errors_total',
      help: 'Figures that could not be read at a scrape',
      labelNames: ['metric'],
    });
  }

  /** A number that only grows. */
  counter<L extends string = string>(o: { name: string; help: string; labelNames?: readonly L[] }): Counter<L> {
    return new Counter({ ...o, registers: [this.registry] });
  }

  /** A value that can increase and decrease. */
  gauge<L extends string = string>(o: { name: string; help: string; labelNames?: readonly L[] }): Gauge<L> {
    return new Gauge({ ...o, registers: [this.registry] });
  }

  /** A distribution; `buckets` are upper bounds in the unit of the name. */
  histogram<L extends string = string>(o: {
    name: string;
    help: string;
    labelNames?: readonly L[];
    buckets: number[];
  }): Histogram<L> {
    return new Histogram({ ...o, registers: [this.registry] });
  }

  /**
   * A number that is read when it is asked for, such as a queue's depth. A reader that throws leaves its figure
   * out of that scrape, is counted in `metric_read_errors_total`, and spoils no other.
   */
  gaugeFrom(
    name: string,
    help: string,
    read: () => GaugeReading | Promise<GaugeReading>,
    labelNames: readonly string[] = [],
  ): void {
    const show = (): Promise<void> => this.#show(gauge, name, read, (labels, value) => gauge.set(labels, value));
    const gauge: Gauge = new Gauge({ name, help, labelNames, registers: [this.registry], collect: show });
  }

  /** The same for a number that only grows, such as what a part of the service has counted by itself since it began. */
  counterFrom(
    name: string,
    help: string,
    read: () => GaugeReading | Promise<GaugeReading>,
    labelNames: readonly string[] = [],
  ): void {
    const show = (): Promise<void> => this.#show(counter, name, read, (labels, value) => counter.inc(labels, value));
    const counter: Counter = new Counter({ name, help, labelNames, registers: [this.registry], collect: show });
  }

  /**
   * Shows a pool's connections as `db_pool_connections{pool,state}`, state being total, idle or waiting. Of a pool with
   * classes of work also `db_work{pool,class,state}`, state being in_use or waiting, and `db_expired_waits_total`.
   */
  watchPool(name: string, pool: WatchedPool): void {
    this.#pools.set(name, pool);
    if (this.#pools.size > 1) {
      return;
    }
    const read = (): GaugeReading =>
      [...this.#pools].flatMap(([poolName, { totalCount, idleCount, waitingCount }]) => [
        { labels: { pool: poolName, state: 'total' }, value: totalCount },
        { labels: { pool: poolName, state: 'idle' }, value: idleCount },
        { labels: { pool: poolName, state: 'waiting' }, value: waitingCount },
      ]);
    this.gaugeFrom('db_pool_connections', 'Database connections, and callers waiting for one', read, ['pool', 'state']);
    this.#watchClasses();
  }

  #watchClasses(): void {
    const classes = (): { labels: { pool: string; class: string }; figures: WatchedClass }[] =>
      [...this.#pools].flatMap(([pool, watched]) =>
        Object.entries(watched.classes ?? {}).map(([name, figures]) => ({ labels: { pool, class: name }, figures })),
      );
    this.gaugeFrom(
      'db_work',
      'Work that has a database connection, and work that waits for one',
      () =>
        classes().flatMap(({ labels, figures }) => [
          { labels: { ...labels, state: 'in_use' }, value: figures.inUse },
          { labels: { ...labels, state: 'waiting' }, value: figures.waiting },
        ]),
      ['pool', 'class', 'state'],
    );
    this.counterFrom(
      'db_expired_waits_total',
      'Work that was refused because it waited too long for a database connection',
      () => classes().map(({ labels, figures }) => ({ labels, value: figures.expired })),
      ['pool', 'class'],
    );
  }

  /**
   * Records one completed request in `http_request_duration_seconds`.
   * @param route the pattern, never the path: the number of series must not depend on clients
   */
  observeRequest(method: string, route: string, status: number, seconds: number): void {
    this.#requests.observe(method, route, status, seconds);
  }

  async #show(
    figure: Counter | Gauge,
    name: string,
    read: () => GaugeReading | Promise<GaugeReading>,
    set: (labels: Record<string, string>, value: number) => void,
  ): Promise<void> {
    figure.reset();
    try {
      const reading = await read();
      for (const { labels, value } of typeof reading === 'number' ? [{ labels: {}, value: reading }] : reading) {
        set(labels, value);
      }
    } catch {
      figure.remove();
      this.#readErrors.inc({ metric: name });
    }
  }

  /** The Prometheus text of all figures. */
  async render(): Promise<{ contentType: string; text: string }> {
    const text = `${this.#requests.render()}\n${await this.registry.metrics()}`;
    return { contentType: this.registry.contentType, text };
  }
}
