import type { Database } from '@switchboard/database';
import type { Metrics } from '@switchboard/platform';
import type { DeliveryOutcomeCategory } from '@switchboard/webhooks';
import { getChangeTimeMs } from './webhook-event-context.js';

/**
 * Upper bounds, in seconds, of the histogram of the time from a change to the delivery of its webhook. The smaller
 * bounds are for first attempts, the larger bounds for retries.
 */
const deliveryLatencyBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

/**
 * Metrics of webhook deliveries: counts of outcomes in this process, and the number of queued deliveries in the whole
 * service.
 */
export class WebhookDeliveryMetrics {
  readonly #counts: Record<DeliveryOutcomeCategory, number> = { delivered: 0, failed: 0, retried: 0 };
  #latency: ReturnType<Metrics['addHistogram']> | undefined;

  /**
   * Counts the outcome of a delivery attempt. For a successful attempt, also records the time since the change that the
   * payload describes.
   */
  countAttemptOutcome(outcome: DeliveryOutcomeCategory, payload: string, nowMs: number): void {
    this.#counts[outcome] += 1;
    const changedMs = outcome === 'delivered' ? getChangeTimeMs(payload) : null;
    // Another process may have set the time of the change, and its clock may be ahead.
    if (changedMs !== null) this.#latency?.observe(Math.max(0, nowMs - changedMs) / 1000);
  }

  /** Registers the metrics of deliveries for the endpoint `/metrics`. Delivery times are recorded from then on. */
  registerMetrics(metrics: Metrics, database: Pick<Database, 'query'>): void {
    metrics.addCounterReadAtScrape(
      'inventory_webhook_deliveries_total',
      'Attempts of this process by what they made of their delivery',
      () => Object.entries(this.#counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
      ['outcome'],
    );
    this.#latency = metrics.addHistogram({
      name: 'inventory_webhook_latency_seconds',
      help: 'Time from a change to its successful delivery',
      buckets: deliveryLatencyBuckets,
    });
    metrics.addGaugeReadAtScrape(
      'inventory_webhook_deliveries_queued',
      'Deliveries that wait for an attempt or are under way',
      () => queryQueuedDeliveries(database, 'count(*)'),
    );
    metrics.addGaugeReadAtScrape(
      'inventory_webhook_oldest_queued_age_seconds',
      'Age of the oldest delivery that is queued',
      () => queryQueuedDeliveries(database, 'coalesce(greatest(0, extract(epoch FROM now() - min(created))), 0)'),
    );
  }
}

async function queryQueuedDeliveries(database: Pick<Database, 'query'>, expression: string): Promise<number> {
  const { rows } = await database.query<{ value: number }>(
    `SELECT (${expression})::float8 AS value FROM webhook_deliveries WHERE status = 'queued'`,
  );
  return rows[0]?.value ?? 0;
}
