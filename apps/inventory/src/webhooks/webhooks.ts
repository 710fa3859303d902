import { OutboundClient } from '@switchboard/outbound';
import {
  processClock,
  type JobHandler,
  type Jobs,
  type OnFaultPoint,
  type Outbox,
  type QueueClock,
  type QueueLogger,
  type QueueTx,
} from '@switchboard/queue';
import { inventoryChanges } from '../changes/inventory-change-message.js';
import type { SendServices } from '../destinations/index.js';
import { CircuitBreakers } from './circuit-breakers.js';
import { deliverWebhook } from './deliver-webhook.js';
import { DeliveryMetrics } from './delivery-figures.js';
import { DeliveryQueue, type DeliveryJob, type defineDeliveryJob } from './delivery-queue.js';
import { DeliverySweep } from './delivery-sweep.js';
import { InlineDelivery } from './inline-delivery.js';
import { RotatedSecrets } from './rotated-secrets.js';
import { changesDispatcher } from './dispatch-changes.js';
import { EventRuleCache } from './event-rule-cache.js';
import { selectKeysWithRules } from './event-rules.js';
import { LoopbackWatch } from './loopback-watch.js';
import { requeuedDeliveries, requeuedDispatcher } from './requeue-deliveries.js';
import type { WebhookSettings } from './settings.js';

/** Dependencies of {@link Webhooks}. */
export interface WebhooksOptions {
  readonly database: QueueTx;
  /** Database for background statements, which may have a longer timeout; `database` when absent. */
  readonly sweepDatabase?: QueueTx;
  readonly outbox: Outbox;
  /** Job queue in which the job type `definition` is registered. */
  readonly jobs: Jobs;
  readonly definition: ReturnType<typeof defineDeliveryJob>;
  readonly settings: WebhookSettings;
  readonly openSealed: SendServices['openSealed'];
  readonly logger: QueueLogger;
  readonly clock?: QueueClock;
  readonly faultPoint?: OnFaultPoint | undefined;
}

/**
 * Webhook delivery, from committed changes to receivers. The constructor registers the dispatcher of
 * `inventory.changes` and the handler of the delivery job, so it must run before `outbox.start()` and `jobs.start()`.
 */
export class Webhooks {
  /** Periodic task that adds jobs for deliveries without a job. */
  readonly sweep: DeliverySweep;
  /** Circuit breakers of this process, one per receiver that does not respond. */
  readonly breakers: CircuitBreakers;
  /** Periodic task that detects the start of receivers on this machine. */
  readonly loopbackWatch: LoopbackWatch;
  /** Periodic task that deletes expired webhook secrets. */
  readonly rotatedSecrets: RotatedSecrets;
  /** Metrics of webhook deliveries. */
  readonly figures = new DeliveryMetrics();
  readonly #client: OutboundClient;
  readonly #rules: EventRuleCache;
  readonly #running = new Set<Promise<void>>();

  /** @throws RangeError if the address policy contains an invalid network */
  constructor({
    database,
    sweepDatabase = database,
    outbox,
    jobs,
    definition,
    settings,
    openSealed,
    logger,
    clock = processClock,
    faultPoint,
  }: WebhooksOptions) {
    const queue = new DeliveryQueue(jobs, definition);
    const client = new OutboundClient(settings.outbound);
    const now = (): number => clock.now();
    const breakers = new CircuitBreakers({ settings: settings.breaker, clock, logger });
    const rules = new EventRuleCache(database, logger);
    const inline = new InlineDelivery({ database, rules, jobs, definition, breakers, queue, settings, logger });
    // Webhooks are less urgent than responses: under load, rows may be collected a little longer.
    outbox.dispatch(inventoryChanges, changesDispatcher(queue, logger), {
      paceMs: 50,
      inline,
      selectKeys: selectKeysWithRules,
    });
    outbox.dispatch(requeuedDeliveries, requeuedDispatcher(queue));
    jobs.handle(
      definition,
      this.#trackAttempts(
        deliverWebhook({
          database,
          queue,
          breakers,
          settings,
          client,
          openSealed,
          figures: this.figures,
          claimed: inline.claimed,
          now,
          random: Math.random,
          faultPoint,
        }),
      ),
    );
    this.sweep = new DeliverySweep({ database: sweepDatabase, queue, settings, clock, logger });
    this.breakers = breakers;
    this.loopbackWatch = new LoopbackWatch({ database: sweepDatabase, queue, breakers, clock, logger });
    const overlapMs = settings.secretOverlapMs;
    this.rotatedSecrets = new RotatedSecrets({ database: sweepDatabase, overlapMs, clock, logger });
    this.#client = client;
    this.#rules = rules;
  }

  /** Starts the periodic tasks, in the roles `worker` and `all`. */
  start(): void {
    void this.#rules.refresh();
    this.sweep.start();
    this.loopbackWatch.start();
    this.rotatedSecrets.start();
  }

  /**
   * Stops the periodic tasks, waits for running attempts and closes connections to receivers. Call it after
   * `jobs.stop()`.
   */
  async stop(): Promise<void> {
    await Promise.all([this.sweep.stop(), this.loopbackWatch.stop(), this.rotatedSecrets.stop()]);
    // `jobs.stop()` does not wait for aborted handlers.
    await Promise.allSettled(this.#running);
    await this.#client.close();
  }

  #trackAttempts(handle: JobHandler<DeliveryJob>): JobHandler<DeliveryJob> {
    return (job, context) => {
      const run = handle(job, context).finally(() => this.#running.delete(run));
      this.#running.add(run);
      return run;
    };
  }
}
