import { OutboundClient } from '@switchboard/outbound';
import {
  processClock,
  type Jobs,
  type Outbox,
  type QueueClock,
  type QueueLogger,
  type QueueTx,
} from '@switchboard/queue';
import { inventoryChanges } from '../changes/topic.js';
import { deliverWebhook } from './deliver-webhook.js';
import { DeliveryQueue, type defineDeliveryJob } from './delivery-queue.js';
import { DeliverySweep } from './delivery-sweep.js';
import { changesDispatcher } from './dispatch-changes.js';
import type { WebhookSettings } from './settings.js';
import type { OpenSecret } from './webhook-request.js';

/** What webhook delivery is built on. */
export interface WebhooksOptions {
  readonly database: QueueTx;
  readonly outbox: Outbox;
  /** Made with the definition below among its definitions. */
  readonly jobs: Jobs;
  readonly definition: ReturnType<typeof defineDeliveryJob>;
  readonly settings: WebhookSettings;
  readonly openSecret: OpenSecret;
  readonly logger: QueueLogger;
  readonly clock?: QueueClock;
}

/**
 * Everything between a committed change and its receivers. Constructing it registers the dispatcher of
 * `inventory.changes` and the handler of the delivery job, so it comes before `outbox.start()` and `jobs.start()`.
 */
export class Webhooks {
  /** Finds deliveries that wait without a job. */
  readonly sweep: DeliverySweep;
  readonly #client: OutboundClient;

  /** @throws RangeError when the address policy names a network that is none. */
  constructor({
    database,
    outbox,
    jobs,
    definition,
    settings,
    openSecret,
    logger,
    clock = processClock,
  }: WebhooksOptions) {
    const queue = new DeliveryQueue(jobs, definition);
    const client = new OutboundClient(settings.outbound);
    const now = (): number => clock.now();
    outbox.dispatch(inventoryChanges, changesDispatcher(queue, logger));
    jobs.handle(
      definition,
      deliverWebhook({ database, queue, settings, client, openSecret, now, random: Math.random }),
    );
    this.sweep = new DeliverySweep({ database, queue, settings, clock, logger });
    this.#client = client;
  }

  /** Begins to sweep; for the roles `worker` and `all`. */
  start(): void {
    this.sweep.start();
  }

  /** Ends the sweep and closes connections to receivers. To be called after `jobs.stop()`. */
  async stop(): Promise<void> {
    await this.sweep.stop();
    await this.#client.close();
  }
}
