import type { SecretTextEncryptor } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { Clock, Logger } from '@switchboard/platform';
import type { Jobs, FaultPointListener, Outbox } from '@switchboard/queue';
import { defineDeliveryJob, type DeliveryAttemptJobDefinition, WebhookEmitter, Webhooks } from '@switchboard/webhooks';
import {
  EventWebhookEmitter,
  EventWebhookSubscriberCache,
  type EventWebhookSubscriberCacheDependencies,
} from '../../core/event-webhooks/index.js';
import type { EventTypeOfUnknownPayload } from '../../events/define-event-type.js';
import { createWebhookBodyRenderer } from './render-webhook-bodies.js';
import { getEventWebhookSettings, type EventWebhookConfiguration } from './settings.js';
import { createDeliveryCheck } from './check-webhook-visibility.js';

/** Prefix of the names of all jobs and outbox messages that belong to event webhooks. */
const eventWebhooksNamePrefix = 'event-webhooks';

/**
 * Maximum size in bytes of the body of a webhook delivery. The maximum exceeds the largest event log entry in UTF-8, so
 * that no event is refused.
 */
const maxWebhookBodyBytes = 8 * 1024 * 1024;

/** Objects and values that {@link EventWebhooks} receives from its caller. */
export interface EventWebhookDependencies extends EventWebhookSubscriberCacheDependencies {
  readonly config: EventWebhookConfiguration & { readonly NODE_ENV: string };
  readonly database: Database;
  readonly outbox: Outbox;
  readonly secrets: SecretTextEncryptor;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly faultPoint: FaultPointListener | undefined;
}

/**
 * Event webhooks of a process. Every process emits events to webhooks. Processes with a job queue also manage webhooks
 * and deliver events.
 */
export class EventWebhooks {
  /** Object that receives all events that are written to the event log, and emits them to webhooks. */
  readonly sink: EventWebhookEmitter;
  /** List of the event webhooks of all realms, stored in memory. */
  readonly subscriptions: EventWebhookSubscriberCache;
  /** Definition of the job that makes one attempt to deliver an event. */
  readonly definition: DeliveryAttemptJobDefinition;
  #opened: { readonly webhooks: Webhooks; readonly jobs: Jobs } | undefined;

  constructor(private readonly parts: EventWebhookDependencies) {
    const { outbox, clock, config } = parts;
    this.subscriptions = new EventWebhookSubscriberCache(parts);
    this.sink = new EventWebhookEmitter(
      this.subscriptions,
      new WebhookEmitter({ outbox, name: eventWebhooksNamePrefix, maxBodyBytes: maxWebhookBodyBytes, clock }),
    );
    this.definition = defineDeliveryJob(getEventWebhookSettings(config), eventWebhooksNamePrefix);
  }

  /**
   * Registers the delivery of events. Call it once, before the jobs and the outbox start.
   *
   * @param eventTypes all event types of the service by name
   */
  registerEventDelivery(jobs: Jobs, eventTypes: ReadonlyMap<string, EventTypeOfUnknownPayload>): void {
    const { config, database, outbox, secrets, clock, logger, faultPoint } = this.parts;
    const webhooks = new Webhooks({
      // The disconnect of a client must not abort work that serves all deliveries.
      database: database.shared,
      sweepDatabase: database.background('event webhook sweep'),
      outbox,
      jobs,
      definition: this.definition,
      settings: getEventWebhookSettings(config),
      sealer: secrets,
      name: eventWebhooksNamePrefix,
      bodiesFor: createWebhookBodyRenderer({ eventTypes, checks: config.NODE_ENV !== 'production' }),
      checkDelivery: createDeliveryCheck(database.shared),
      retentionDays: config.EVENT_WEBHOOK_RETENTION_DAYS,
      maxEndpointsPerOwner: config.EVENT_WEBHOOKS_PER_REALM,
      maxBodyBytes: maxWebhookBodyBytes,
      logger,
      clock,
      faultPoint,
    });
    this.#opened = { webhooks, jobs };
  }

  /** Webhooks of the service with their deliveries. Throws an Error before {@link registerEventDelivery}. */
  get webhooksWithDeliveries(): Webhooks {
    if (this.#opened === undefined) throw new Error('Event webhooks are used before their jobs are defined');
    return this.#opened.webhooks;
  }

  /** Stops the delivery attempts of this process, and closes the connections to the receivers of webhooks. */
  async stop(): Promise<void> {
    // Attempts that begin after the connections are closed would fail.
    await this.#opened?.jobs.stopWorkers();
    await this.#opened?.webhooks.stop();
  }
}
