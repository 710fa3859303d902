import {
  PeriodicTask,
  processClock,
  silentLogger,
  type Jobs,
  type OnFaultPoint,
  type Outbox,
  type QueueClock,
  type QueueLogger,
  type QueueTx,
  type TransactionHandle,
} from '@switchboard/queue';
import { Deliveries } from './deliveries/deliveries.js';
import { emittedDispatcher, type BodiesForEndpoint, type EventForEndpoint } from './dispatch-emitted-events.js';
import { WebhookEmitter, type WebhookEvent } from './webhook-emitter.js';
import { endpointSource, type CheckDelivery, type EndpointTarget } from './endpoints/endpoint-source.js';
import { checkEndpointUrl } from './endpoints/endpoint-url.js';
import { Endpoints } from './endpoints/endpoints.js';
import type { SecretSealer } from './endpoints/sealed-secrets.js';
import type { DeliveryOutcome } from './engine/run-delivery-job.js';
import { DeliveryEngine } from './engine/delivery-engine.js';
import type { DeliveryJobDefinition } from './engine/delivery-queue.js';
import { DeliveryRetention } from './engine/delivery-retention.js';
import type { WebhookSettings } from './engine/webhook-settings.js';
import { defaultSchema, webhookTables } from './webhook-tables.js';
import { standardWebhooksSchemes, type SigningScheme } from './signing/signing-scheme.js';

/** Options of {@link Webhooks}. */
export interface WebhooksOptions {
  /** Pool or database in which each statement is a separate transaction. It must connect to the primary. */
  readonly database: QueueTx;
  /** Database for background statements, which may have a longer timeout. Default: `database`. */
  readonly sweepDatabase?: QueueTx;
  readonly outbox: Outbox;
  /** Job queue in which the job type `definition` is registered. */
  readonly jobs: Jobs;
  /** Result of `defineDeliveryJob` with the same settings and name. */
  readonly definition: DeliveryJobDefinition;
  readonly settings: WebhookSettings;
  /** Encryption of the secrets of endpoints. */
  readonly sealer: SecretSealer;
  /** Schema of the tables, see `applyWebhookMigrations`. Default `webhooks`. */
  readonly schema?: string;
  /**
   * Prefix of the names of job and outbox messages. Engines with the same `prefix` of jobs and outbox need different
   * names. Default `webhooks`.
   */
  readonly name?: string;
  /** Names of all event types. Default: any name that matches the schema is allowed. */
  readonly eventTypes?: readonly string[];
  /**
   * Returns true if an event is sent to an endpoint that subscribes to its type, for filters in the metadata of the
   * endpoint. It must not throw. Default: always.
   */
  readonly accepts?: (event: EventForEndpoint) => boolean;
  /**
   * Returns the bodies that each endpoint receives for each event of a batch: one list for each pair, in the order of
   * the argument. An empty list means that the endpoint does not receive the event. `tx` is the transaction that stores
   * the deliveries. An error repeats the batch. Default: the body that was emitted.
   */
  readonly bodiesFor?: BodiesForEndpoint;
  /**
   * Checks a delivery before each attempt. Resolves to the reason for which it must not be sent, and the delivery then
   * fails; null if it may be sent. After an error the attempt is retried. Default: all may be sent.
   */
  readonly checkDelivery?: CheckDelivery;
  /** Schemes of the signature headers. Default: Standard Webhooks only. */
  readonly signing?: readonly SigningScheme[];
  /** Value of the header `user-agent`. Default `Switchboard-Webhooks`. */
  readonly userAgent?: string;
  /** Days until finished deliveries and their attempts are removed; 0 for no limit. Default 30. */
  readonly retentionDays?: number;
  /** Default 100. */
  readonly maxEndpointsPerOwner?: number;
  /** Maximum size of the body of an event in bytes. Default 262,144. */
  readonly maxBodyBytes?: number;
  /**
   * Maximum size in bytes of the bodies that one transaction stores for all endpoints of its events. A single event may
   * exceed it. Default 16,777,216.
   */
  readonly maxBatchBytes?: number;
  readonly logger?: QueueLogger;
  readonly clock?: QueueClock;
  /** Called with the names `delivery.before-send` and `delivery.after-send`. For fault tests. */
  readonly faultPoint?: OnFaultPoint | undefined;
}

/** Counters of this process, for metrics. */
export interface WebhookMetrics {
  /** Number of attempts by outcome since the process started. */
  readonly attempts: Readonly<Record<DeliveryOutcome, number>>;
  /** Number of receivers to which deliveries of this process are suspended. */
  readonly suspendedReceivers: number;
  /** Number of times that a circuit breaker opened and closed. */
  readonly breakerChanges: { readonly opened: number; readonly closed: number };
}

/** Deliveries of all processes that are not finished. */
export interface PendingDeliveryFigures {
  readonly queued: number;
  /** Age of the oldest queued delivery in seconds; 0 without queued deliveries. */
  readonly oldestAgeSeconds: number;
}

const millisecondsPerHour = 3_600_000;

/**
 * Webhooks with the package's own tables: endpoints, events that are emitted in a transaction, and the log of deliveries.
 * The constructor registers dispatchers and the handler of the delivery job, so it must run before `outbox.start()` and
 * `jobs.start()`.
 */
export class Webhooks {
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  /** Engine that makes the attempts. */
  readonly engine: DeliveryEngine<EndpointTarget>;
  readonly #emitter: WebhookEmitter;
  readonly #retention: DeliveryRetention;
  readonly #expiredSecrets: PeriodicTask;
  readonly #attempts: Record<DeliveryOutcome, number> = { delivered: 0, failed: 0, retried: 0 };

  /**
   * @throws RangeError if the address policy contains an invalid network
   * @throws QueueUsageError for a schema name that is no plain identifier
   */
  constructor(private readonly options: WebhooksOptions) {
    const {
      database,
      outbox,
      sealer,
      schema = defaultSchema,
      name = 'webhooks',
      signing = standardWebhooksSchemes,
    } = options;
    const { logger = silentLogger, clock = processClock, userAgent = 'Switchboard-Webhooks' } = options;
    const { retentionDays: days = 30, maxEndpointsPerOwner = 100, accepts = () => true } = options;
    const tables = webhookTables(schema);
    this.engine = new DeliveryEngine({
      ...options,
      name,
      source: endpointSource({ tables, sealer, signing, userAgent, checkDelivery: options.checkDelivery }),
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
    const dispatcher = emittedDispatcher({ tables, database, store, queue, accepts, bodiesFor, maxBatchBytes });
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
   * @throws the errors of {@link WebhookEmitter.emit}
   */
  emit(tx: TransactionHandle, event: WebhookEvent): void {
    this.#emitter.emit(tx, event);
  }

  /** Starts the periodic tasks. Call it in processes that send deliveries, after `jobs.start()`. */
  start(): void {
    this.engine.start();
    this.#retention.start();
    this.#expiredSecrets.start();
  }

  /**
   * Stops the periodic tasks, waits for running attempts and closes connections to receivers. Call it after
   * `jobs.stop()`.
   */
  async stop(): Promise<void> {
    await Promise.all([this.engine.stop(), this.#retention.stop(), this.#expiredSecrets.stop()]);
  }

  /** Returns the counters of this process. */
  metrics(): WebhookMetrics {
    const { breakers } = this.engine;
    return {
      attempts: { ...this.#attempts },
      suspendedReceivers: breakers.openBreakerCount,
      breakerChanges: { ...breakers.changes },
    };
  }

  /** Reads the number and age of the deliveries that are not finished. */
  async readPendingDeliveryFigures(): Promise<PendingDeliveryFigures> {
    const { rows } = await this.options.database.query<PendingDeliveryFigures>(
      `SELECT count(*)::float8 AS queued,
              coalesce(greatest(0, extract(epoch FROM now() - min(created))), 0)::float8 AS "oldestAgeSeconds"
         FROM ${this.engine.store.tables.deliveries} WHERE next_attempt_at IS NOT NULL`,
    );
    return rows[0] ?? { queued: 0, oldestAgeSeconds: 0 };
  }
}
