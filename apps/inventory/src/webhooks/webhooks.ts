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
import { inventoryChanges } from '../changes/topic.js';
import type { SendServices } from '../destinations/index.js';
import { CircuitBreakers } from './circuit-breakers.js';
import { deliverWebhook } from './deliver-webhook.js';
import { DeliveryFigures } from './delivery-figures.js';
import { DeliveryQueue, type DeliveryJob, type defineDeliveryJob } from './delivery-queue.js';
import { DeliverySweep } from './delivery-sweep.js';
import { InlineDelivery } from './inline-delivery.js';
import { RotatedSecrets } from './rotated-secrets.js';
import { changesDispatcher } from './dispatch-changes.js';
import { EventRuleCache } from './event-rule-cache.js';
import { LoopbackWatch } from './loopback-watch.js';
import { requeuedDeliveries, requeuedDispatcher } from './requeue-deliveries.js';
import type { WebhookSettings } from './settings.js';

/** Dependencies of webhook delivery. */
export interface WebhooksOptions {
  readonly database: QueueTx;
  /** Runs the statements of sweeps, whose time limit may be longer. `database` when absent. */
  readonly sweepDatabase?: QueueTx;
  readonly outbox: Outbox;
  /** Jobs whose definitions include the one below. */
  readonly jobs: Jobs;
  readonly definition: ReturnType<typeof defineDeliveryJob>;
  readonly settings: WebhookSettings;
  readonly openSealed: SendServices['openSealed'];
  readonly logger: QueueLogger;
  readonly clock?: QueueClock;
  readonly faultPoint?: OnFaultPoint | undefined;
}

/**
 * Everything between a committed change and its receivers. Constructing it registers the dispatcher of
 * `inventory.changes` and the handler of the delivery job, so it comes before `outbox.start()` and `jobs.start()`.
 */
export class Webhooks {
  /** Finds deliveries that wait without a job. */
  readonly sweep: DeliverySweep;
  /** Circuit breakers of this process. */
  readonly breakers: CircuitBreakers;
  /** Notices that a receiver on this machine was started. */
  readonly loopbackWatch: LoopbackWatch;
  /** Deletes expired secrets. */
  readonly rotatedSecrets: RotatedSecrets;
  /** Figures of the deliveries of this process. */
  readonly figures = new DeliveryFigures();
  readonly #client: OutboundClient;
  readonly #rules: EventRuleCache;
  readonly #running = new Set<Promise<void>>();

  /** @throws RangeError when the address policy names a network that is none. */
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
    // Nobody waits for a webhook as for an answer: under load its rows may gather a little longer.
    outbox.dispatch(inventoryChanges, changesDispatcher(queue, logger), { paceMs: 50, inline });
    outbox.dispatch(requeuedDeliveries, requeuedDispatcher(queue));
    jobs.handle(
      definition,
      this.#tracked(
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

  /** Starts the sweeps, for the roles `worker` and `all`. */
  start(): void {
    void this.#rules.refresh();
    this.sweep.start();
    this.loopbackWatch.start();
    this.rotatedSecrets.start();
  }

  /** Ends the sweep, gives back what is in hand and closes connections to receivers. To be called after `jobs.stop()`. */
  async stop(): Promise<void> {
    await Promise.all([this.sweep.stop(), this.loopbackWatch.stop(), this.rotatedSecrets.stop()]);
    // A stopping worker does not wait for handlers that were broken off.
    await Promise.allSettled(this.#running);
    await this.#client.close();
  }

  #tracked(handle: JobHandler<DeliveryJob>): JobHandler<DeliveryJob> {
    return (job, context) => {
      const run = handle(job, context).finally(() => this.#running.delete(run));
      this.#running.add(run);
      return run;
    };
  }
}
