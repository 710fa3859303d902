import {
  PeriodicTask,
  processClock,
  silentLogger,
  type Jobs,
  type FaultPointListener,
  type Outbox,
  type QueueClock,
  type QueueLogger,
  type QueueTx,
  type TransactionHandle,
} from '@switchboard/queue';
import { Deliveries } from './deliveries/deliveries.js';
import {
  createEmittedEventDispatcher,
  type BodiesForEndpoint,
  type WebhookEventForEndpoint,
} from './dispatch-emitted-events.js';
import { WebhookEmitter, type WebhookEvent } from './webhook-emitter.js';
import {
  createWebhookEndpointSource,
  type WebhookDeliveryCheck,
  type WebhookDeliveryTarget,
} from './endpoints/endpoint-source.js';
import { checkEndpointUrl } from './endpoints/endpoint-url.js';
import { Endpoints } from './endpoints/endpoints.js';
import type { SecretEncryption } from './endpoints/sealed-secrets.js';
import type { DeliveryOutcomeCategory } from './engine/run-delivery-job.js';
import { DeliveryEngine } from './engine/delivery-engine.js';
import type { DeliveryAttemptJobDefinition } from './engine/delivery-queue.js';
import { DeliveryRetention } from './engine/delivery-retention.js';
import type { WebhookDeliverySettings } from './engine/webhook-settings.js';
import { defaultWebhookSchemaName, createWebhookTableNames } from './webhook-tables.js';
import { standardWebhooksSchemes, type WebhookSigningScheme } from './signing/signing-scheme.js';

/** Options of {@link Webhooks}. The emitter of the events needs the same `name`. */
export interface WebhooksOptions {
  /**
   * Pool or database in which each statement is a separate transaction. The connections must lead to the primary
   * database server.
   */
  readonly database: QueueTx;
  /** Database for the statements of background tasks, which may have a longer timeout. Default: `database`. */
  readonly sweepDatabase?: QueueTx;
  readonly outbox: Outbox;
  /** Job queue in which the job type `definition` is registered. */
  readonly jobs: Jobs;
  /** Definition of the delivery job: the result of `defineDeliveryJob` with the settings and name of these webhooks. */
  readonly definition: DeliveryAttemptJobDefinition;
  readonly settings: WebhookDeliverySettings;
  /** Encryption of the endpoints' secrets for storage. */
  readonly sealer: SecretEncryption;
  /** PostgreSQL schema with the tables of this package, created by `applyWebhookMigrations`. Default `webhooks`. */
  readonly schema?: string;
  /**
   * Prefix of the names of the delivery job and the outbox messages. `Webhooks` objects that share the Redis `prefix`
   * of jobs and outbox need different names. Default `webhooks`.
   */
  readonly name?: string;
  /** Names of all event types of the service. Default: any name that matches the schema is allowed. */
  readonly eventTypes?: readonly string[];
  /**
   * Function that decides about an event and an endpoint that subscribes to the event's type. Returns true if the event
   * is sent, for example after applying a filter in the endpoint's metadata. The function must not throw. Default: all
   * events are sent.
   */
  readonly accepts?: (event: WebhookEventForEndpoint) => boolean;
  /**
   * Function that returns the bodies that endpoints receive for the events of a batch. The result contains one list for
   * each pair of event and endpoint, in the order of the argument. If the list is empty, the endpoint does not receive
   * the event. `tx` is the transaction that stores the deliveries. After an error the batch is repeated. Default: one
   * body, with which the event was emitted.
   */
  readonly bodiesFor?: BodiesForEndpoint;
  /**
   * Function that checks a delivery before each attempt. Resolves to null if the delivery may be sent. Otherwise
   * resolves to the reason against sending, and the delivery fails. After an error of the function the attempt is
   * retried. Default: every delivery may be sent.
   */
  readonly checkDelivery?: WebhookDeliveryCheck;
  /** Schemes of the signature headers of webhook requests. Default: only Standard Webhooks. */
  readonly signing?: readonly WebhookSigningScheme[];
  /** Value of the header `user-agent` in webhook requests. Default `Switchboard-Webhooks`. */
  readonly userAgent?: string;
  /** Number of days after which finished deliveries and their attempts are deleted; 0 for no limit. Default 30. */
  readonly retentionDays?: number;
  /** Maximum number of webhook endpoints per owner. Default 100. */
  readonly maxEndpointsPerOwner?: number;
  /** Maximum size of the request body of an event in bytes. Default 262,144. */
  readonly maxBodyBytes?: number;
  /**
   * Maximum total size in bytes of the bodies that one transaction stores for the endpoints of a batch of events. A
   * single event may exceed the maximum. Default 16,777,216.
   */
  readonly maxBatchBytes?: number;
  readonly logger?: QueueLogger;
  readonly clock?: QueueClock;
  /**
   * Function that is called with the names `delivery.before-send` and `delivery.after-send`. Fault tests use this
   * function.
   */
  readonly faultPoint?: FaultPointListener | undefined;
}

/** Counters of this process's webhook deliveries, for metrics. */
export interface WebhookDeliveryCounters {
  /** Numbers of delivery attempts since the process started, by outcome. */
  readonly attempts: Readonly<Record<DeliveryOutcomeCategory, number>>;
  /** Number of receivers to which this process has suspended its deliveries. */
  readonly suspendedReceivers: number;
  /** Numbers of times that circuit breakers of this process opened and closed. */
  readonly breakerChanges: { readonly opened: number; readonly closed: number };
}

/** Number and age of the unfinished deliveries of all processes. */
export interface PendingDeliveryFigures {
  readonly queued: number;
  /** Age of the oldest queued delivery in seconds; 0 if no delivery is queued. */
  readonly oldestAgeSeconds: number;
}

const millisecondsPerHour = 3_600_000;

/**
 * Webhooks with the package's own tables: endpoints, events that are emitted in a transaction, and the log of
 * deliveries. The constructor registers dispatchers and the handler of the delivery job. The constructor must therefore
 * run before `outbox.start()` and `jobs.start()`.
 */
export class Webhooks {
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  /** Delivery engine that makes the attempts of deliveries. */
  readonly engine: DeliveryEngine<WebhookDeliveryTarget>;
  readonly #emitter: WebhookEmitter;
  readonly #retention: DeliveryRetention;
  readonly #expiredSecrets: PeriodicTask;
  readonly #attempts: Record<DeliveryOutcomeCategory, number> = { delivered: 0, failed: 0, retried: 0 };

  /**
   * @throws RangeError if the address policy in the options contains an invalid network
   * @throws QueueUsageError if the schema name in the options is not a plain identifier
   */
  constructor(private readonly options: WebhooksOptions) {
    const {
      database,
      outbox,
      sealer,
      schema = defaultWebhookSchemaName,
      name = 'webhooks',
      signing = standardWebhooksSchemes,
    } = options;
    const { logger = silentLogger, clock = processClock, userAgent = 'Switchboard-Webhooks' } = options;
    const { retentionDays: days = 30, maxEndpointsPerOwner = 100, accepts = () => true } = options;
    const tables = createWebhookTableNames(schema);
    this.engine = new DeliveryEngine({
      ...options,
      name,
      source: createWebhookEndpointSource({ tables, sealer, signing, userAgent, checkDelivery: options.checkDelivery }),
      onOutcome: (outcome) => void (this.#attempts[outcome] += 1),
    });
    this.endpoints = new Endpoints({
      tables,
      sealer,
      maxEndpointsPerOwner,
      eventTypes: options.eventTypes === undefined ? null : new Set(options.eventTypes),
      now: () => clock.now(),
      checkUrl: (url) => checkEndpointUrl(this.engine, url),
    });
    const requeueWhere = this.engine.requeueMatchingDeliveries.bind(this.engine);
    this.deliveries = new Deliveries({ tables, requeueMatchingDeliveries: requeueWhere });
    this.#emitter = new WebhookEmitter(options);
    const { store, queue } = this.engine;
    const { bodiesFor, maxBatchBytes = 16_777_216 } = options;
    const dispatcher = createEmittedEventDispatcher({
      tables,
      database,
      store,
      queue,
      accepts,
      bodiesFor,
      maxBatchBytes,
    });
    outbox.dispatch(this.#emitter.messages.ordered, dispatcher);
    outbox.dispatch(this.#emitter.messages.unordered, dispatcher);
    this.#retention = new DeliveryRetention({
      database: options.sweepDatabase ?? database,
      tables,
      days,
      clock,
      logger,
    });
    this.#expiredSecrets = new PeriodicTask({
      clock,
      run: async () => void (await this.endpoints.removeExpiredSecrets(database)),
      failed: (error) => logger.warn({ err: error }, 'expired webhook secrets could not be deleted'),
      restMs: () => millisecondsPerHour,
    });
  }

  /**
   * Emits an event in a transaction, see {@link WebhookEmitter.emit}.
   *
   * @throws every error of {@link WebhookEmitter.emit}
   */
  emit(tx: TransactionHandle, event: WebhookEvent): void {
    this.#emitter.emit(tx, event);
  }

  /**
   * Starts the periodic tasks of the delivery engine. Processes that send deliveries must call the method after
   * `jobs.start()`.
   */
  start(): void {
    this.engine.start();
    this.#retention.start();
    this.#expiredSecrets.start();
  }

  /**
   * Stops the periodic tasks, waits for running attempts and closes connections to receivers. The caller must call the
   * method after `jobs.stop()`.
   */
  async stop(): Promise<void> {
    await Promise.all([this.engine.stop(), this.#retention.stop(), this.#expiredSecrets.stop()]);
  }

  /** Returns the counters of this process's webhook deliveries. */
  metrics(): WebhookDeliveryCounters {
    const { breakers } = this.engine;
    return {
      attempts: { ...this.#attempts },
      suspendedReceivers: breakers.openCircuitBreakerCount,
      breakerChanges: { ...breakers.changes },
    };
  }

  /** Reads the number and age of the unfinished webhook deliveries of all processes. */
  async readPendingDeliveryFigures(): Promise<PendingDeliveryFigures> {
    const { rows } = await this.options.database.query<PendingDeliveryFigures>(
      `SELECT count(*)::float8 AS queued,
              coalesce(greatest(0, extract(epoch FROM now() - min(created))), 0)::float8 AS "oldestAgeSeconds"
         FROM ${this.engine.store.tables.deliveries} WHERE next_attempt_at IS NOT NULL`,
    );
    return rows[0] ?? { queued: 0, oldestAgeSeconds: 0 };
  }
}
