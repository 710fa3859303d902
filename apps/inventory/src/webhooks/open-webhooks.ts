import type { SecretTextEncryptor } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { Logger, Metrics, PlatformConfig } from '@switchboard/platform';
import type { FaultPointListener, Outbox } from '@switchboard/queue';
import type { WebhookDeliveryJobs, WebhookDeliveryJobsConfig } from './delivery-jobs.js';
import { createWebhookSettings } from './webhook-settings.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';

/** Services and settings on which {@link openWebhookDelivery} depends. */
export interface WebhookDeliveryDependencies {
  readonly config: WebhookDeliveryJobsConfig;
  readonly deliveryJobs: WebhookDeliveryJobs;
  readonly logger: Logger;
  readonly database: Database;
  readonly outbox: Outbox;
  readonly keys: { readonly box: SecretTextEncryptor };
  readonly faultPoint?: FaultPointListener | undefined;
}

/** The part of one process that delivers webhooks. */
export interface WebhookDeliveryService {
  readonly webhooks: WebhookDispatcher;
  /**
   * Starts sending webhook deliveries, if the process has the role `worker` or `all`. Processes with the role `api`
   * only record deliveries and add their jobs.
   */
  start(role: PlatformConfig['ROLE']): void;
  /**
   * Registers the metrics of webhook deliveries: the outcomes in this process, and the receivers that do not respond.
   */
  showIn(metrics: Metrics): void;
  /**
   * Stops sending deliveries, and releases deliveries that this process had claimed. Must be called after
   * `outbox.stop()`.
   */
  stop(): Promise<void>;
}

/**
 * Creates the webhook delivery of a process from the configuration. Must be called before `outbox.start()`, which may
 * dispatch changes immediately.
 */
export function openWebhookDelivery(parts: WebhookDeliveryDependencies): WebhookDeliveryService {
  const { config, logger, database, outbox, keys, faultPoint, deliveryJobs } = parts;
  const settings = createWebhookSettings(config);
  const { jobs, definition } = deliveryJobs;
  const webhooks = new WebhookDispatcher({
    // The disconnect of a client must not abort work that serves all deliveries.
    database: database.shared,
    sweepDatabase: database.background('webhook sweep'),
    outbox,
    jobs,
    definition,
    settings,
    openSealed: (sealed, purpose) => keys.box.open(sealed, purpose),
    logger,
    faultPoint,
  });
  return {
    webhooks,
    start: (role) => {
      if (role === 'api') return;
      jobs.start();
      webhooks.start();
    },
    showIn: (metrics) => {
      webhooks.figures.registerMetrics(metrics, database);
      metrics.addGaugeReadAtScrape(
        'inventory_webhook_receivers_unreachable',
        'Receivers that this process leaves alone because they do not respond',
        () => webhooks.engine.breakers.openCircuitBreakerCount,
      );
      metrics.addCounterReadAtScrape(
        'inventory_webhook_breaker_changes_total',
        'Circuit breakers of receivers that this process has opened and closed',
        () =>
          Object.entries(webhooks.engine.breakers.changes).map(([change, value]) => ({ labels: { change }, value })),
        ['change'],
      );
    },
    stop: async () => {
      await jobs.stop();
      await webhooks.stop();
    },
  };
}
