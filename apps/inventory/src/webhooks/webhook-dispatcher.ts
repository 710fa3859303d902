import {
  processClock,
  type Jobs,
  type FaultPointListener,
  type Outbox,
  type QueueClock,
  type QueueLogger,
  type QueueTx,
} from '@switchboard/queue';
import { DeliveryEngine, type DeliveryAttemptJobDefinition } from '@switchboard/webhooks';
import { inventoryChangeOutboxMessageType } from '../changes/inventory-change-message.js';
import type { DestinationRequestServices } from '../destinations/index.js';
import { WebhookDeliveryMetrics } from './delivery-metrics.js';
import type { DeliveryActionTarget } from './delivery-tables.js';
import { createChangesDispatcher } from './dispatch-changes.js';
import { createActionEndpointSource } from './action-endpoint-source.js';
import { EventRuleCache } from './event-rule-cache.js';
import { selectObjectKeysWithRules } from './event-rules.js';
import { InlineDelivery } from './inline-delivery.js';
import { RotatedSecretCleanup } from './remove-rotated-secrets.js';
import type { WebhookSettings } from './webhook-settings.js';

/** Services and settings on which {@link WebhookDispatcher} depends. */
export interface WebhookDispatcherOptions {
  readonly database: QueueTx;
  /** Database for background statements, which may need a longer timeout. When absent, `database` is used. */
  readonly sweepDatabase?: QueueTx;
  readonly outbox: Outbox;
  /** Job queue in which the job type `definition` is already registered. */
  readonly jobs: Jobs;
  readonly definition: DeliveryAttemptJobDefinition;
  readonly settings: WebhookSettings;
  readonly openSealed: DestinationRequestServices['openSealed'];
  readonly logger: QueueLogger;
  readonly clock?: QueueClock;
  readonly faultPoint?: FaultPointListener | undefined;
}

/**
 * Delivers webhooks, from committed changes to receivers. The constructor registers the dispatcher of
 * `inventory.changes` and the handler of the delivery job. Therefore the constructor must run before `outbox.start()`
 * and `jobs.start()`.
 */
export class WebhookDispatcher {
  /** Engine that sends recorded deliveries to their receivers, which are the action objects of event rules. */
  readonly engine: DeliveryEngine<DeliveryActionTarget>;
  /** Periodic task that deletes expired secrets of webhooks. */
  readonly rotatedSecrets: RotatedSecretCleanup;
  readonly figures = new WebhookDeliveryMetrics();
  readonly #rules: EventRuleCache;

  /** Creates the webhook delivery of a process. @throws RangeError if the address policy contains an invalid network */
  constructor(options: WebhookDispatcherOptions) {
    const { database, sweepDatabase = database, outbox, settings, openSealed, logger, clock = processClock } = options;
    this.engine = new DeliveryEngine({
      ...options,
      source: createActionEndpointSource({ openSealed, settings }),
      onOutcome: (outcome, { payload }) => this.figures.countAttemptOutcome(outcome, payload, clock.now()),
    });
    this.#rules = new EventRuleCache(database, logger);
    const { firstAttempts, queue } = this.engine;
    // Webhooks are less urgent than responses: under load, rows may be collected a little longer.
    outbox.dispatch(inventoryChangeOutboxMessageType, createChangesDispatcher({ database, queue, log: logger }), {
      paceMs: 50,
      inline: new InlineDelivery({ rules: this.#rules, firstAttempts, settings }),
      selectKeys: selectObjectKeysWithRules,
    });
    const overlapMs = settings.secretOverlapMs;
    this.rotatedSecrets = new RotatedSecretCleanup({ database: sweepDatabase, overlapMs, clock, logger });
  }

  /** Starts the periodic tasks of webhook delivery. Called in processes with the role `worker` or `all`. */
  start(): void {
    void this.#rules.refreshEventRules();
    this.engine.start();
    this.rotatedSecrets.start();
  }

  /**
   * Stops the periodic tasks of webhook delivery, waits for running attempts and closes the connections to receivers.
   * Must be called after `jobs.stop()`.
   */
  async stop(): Promise<void> {
    await Promise.all([this.engine.stop(), this.rotatedSecrets.stop()]);
  }
}
