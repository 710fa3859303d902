import { OutboundClient } from '@switchboard/outbound';
import {
  processClock,
  silentLogger,
  type JobHandler,
  type Jobs,
  type FaultPointListener,
  type Outbox,
  type OutboxMessageType,
  type QueueClock,
  type QueueLogger,
  type QueueTx,
  type TransactionHandle,
} from '@switchboard/queue';
import { CircuitBreakers } from './circuit-breakers.js';
import { createDeliveryJobHandler, type DeliveryOutcomeCategory } from './run-delivery-job.js';
import { DeliveryQueue, type DeliveryAttemptJobPayload, type DeliveryAttemptJobDefinition } from './delivery-queue.js';
import { DeliveryStore } from './delivery-store.js';
import { LostDeliveryJobRestorer } from './delivery-sweep.js';
import type { ClaimedDelivery, EndpointSource } from './endpoint-source.js';
import { FirstAttempts } from './first-delivery-attempts.js';
import { LoopbackReceiverMonitor } from './loopback-watch.js';
import {
  defineRequeuedMessage,
  createRequeuedDeliveriesDispatcher,
  requeueMatchingDeliveries,
  type DeliveryRequeueCondition,
  type RequeueResult,
  type RequeuedDeliveryIds,
} from './requeue-deliveries.js';
import type { WebhookDeliverySettings } from './webhook-settings.js';

/** Options of {@link DeliveryEngine}. A `Webhooks` object creates an engine from its own options. */
export interface DeliveryEngineOptions<Target> {
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
  /** Definition of the delivery job: the result of `defineDeliveryJob` with the settings and name of this engine. */
  readonly definition: DeliveryAttemptJobDefinition;
  readonly settings: WebhookDeliverySettings;
  readonly source: EndpointSource<Target>;
  /**
   * Prefix of the names of the delivery job and the outbox messages. Engines that share the Redis `prefix` of jobs and
   * outbox need different names. Default `webhooks`.
   */
  readonly name?: string;
  readonly logger?: QueueLogger;
  readonly clock?: QueueClock;
  /** Called after the outcome of a delivery attempt was recorded, for metrics of the service. */
  readonly onOutcome?: (outcome: DeliveryOutcomeCategory, delivery: ClaimedDelivery<Target>) => void;
  /** Called with the names `delivery.before-send` and `delivery.after-send`. Fault tests use this function. */
  readonly faultPoint?: FaultPointListener | undefined;
}

/**
 * Sends the deliveries in a table to their webhook endpoints. The constructor registers the handler of the delivery job
 * and the dispatcher of requeued deliveries. The constructor must therefore run before `outbox.start()` and
 * `jobs.start()`.
 */
export class DeliveryEngine<Target> {
  /** Reads and changes the rows of deliveries. */
  readonly store: DeliveryStore<Target>;
  /** Adds the jobs that send webhook deliveries. */
  readonly queue: DeliveryQueue;
  /** Circuit breakers of this process, one for each receiver that does not respond. */
  readonly breakers: CircuitBreakers;
  /** First attempts of deliveries that begin immediately after the commit that creates the delivery. */
  readonly firstAttempts: FirstAttempts<Target>;
  /** Periodic task that adds jobs for deliveries without a job. */
  readonly sweep: LostDeliveryJobRestorer;
  /** Periodic task that detects the start of receivers on this machine. */
  readonly loopbackWatch: LoopbackReceiverMonitor;
  readonly #client: OutboundClient;
  readonly #requeued: OutboxMessageType<RequeuedDeliveryIds>;
  readonly #running = new Set<Promise<unknown>>();

  /** @throws RangeError if the address policy in the options contains an invalid network */
  constructor(private readonly options: DeliveryEngineOptions<Target>) {
    const { database, sweepDatabase = database, outbox, jobs, definition, settings, source } = options;
    const { name = 'webhooks', logger = silentLogger, clock = processClock, faultPoint } = options;
    const store = new DeliveryStore<Target>(source.tables);
    const queue = new DeliveryQueue(jobs, definition);
    const breakers = new CircuitBreakers({ settings: settings.breaker, clock, logger });
    this.#client = new OutboundClient(settings.outbound);
    this.#requeued = defineRequeuedMessage(name);
    this.store = store;
    this.queue = queue;
    this.breakers = breakers;
    this.firstAttempts = new FirstAttempts({ database, store, jobs, breakers, queue, logger });
    const background = { database: sweepDatabase, store, queue, clock, logger };
    this.sweep = new LostDeliveryJobRestorer({ ...background, settings });
    this.loopbackWatch = new LoopbackReceiverMonitor({ ...background, breakers });
    outbox.dispatch(this.#requeued, createRequeuedDeliveriesDispatcher(database, store, queue));
    const deliver = createDeliveryJobHandler({
      database,
      store,
      queue,
      breakers,
      localReceivers: this.loopbackWatch,
      settings,
      source,
      faultPoint,
      client: this.#client,
      claimed: this.firstAttempts.claimed,
      count: (outcome, delivery) => this.#countOutcome(outcome, delivery),
      now: () => clock.now(),
      random: Math.random,
    });
    jobs.handle(definition, this.#trackAttempts(deliver));
  }

  /** Starts the periodic tasks. Processes that send deliveries must call the method after `jobs.start()`. */
  start(): void {
    this.sweep.startPeriodicSearch();
    this.loopbackWatch.startPeriodicChecks();
  }

  /**
   * Stops the periodic tasks, waits for running attempts and closes connections to receivers. The caller must call the
   * method after `jobs.stop()`.
   */
  async stop(): Promise<void> {
    await Promise.all([this.sweep.stopPeriodicSearch(), this.loopbackWatch.stopPeriodicChecks()]);
    // `jobs.stop()` does not wait for aborted handlers.
    await Promise.allSettled(this.#running);
    await this.#client.close();
  }

  /**
   * Checks the URL of an endpoint: the form, the port, and, if the host is an IP address, the host.
   *
   * @throws UrlRefusedError or AddressRefusedError of `@switchboard/outbound`
   */
  checkUrl(url: string): void {
    this.#client.checkUrl(url);
  }

  /**
   * Requeues failed deliveries that match an SQL condition, in the transaction `tx`. The jobs of the deliveries are
   * added after the commit.
   */
  requeueMatchingDeliveries(tx: TransactionHandle, condition: DeliveryRequeueCondition): Promise<RequeueResult> {
    return requeueMatchingDeliveries(
      tx,
      { store: this.store, outbox: this.options.outbox, message: this.#requeued },
      condition,
    );
  }

  #countOutcome(outcome: DeliveryOutcomeCategory, delivery: ClaimedDelivery<Target>): void {
    this.options.onOutcome?.(outcome, delivery);
  }

  #trackAttempts(handle: JobHandler<DeliveryAttemptJobPayload>): JobHandler<DeliveryAttemptJobPayload> {
    return (job, context) => {
      const run = handle(job, context).finally(() => this.#running.delete(run));
      this.#running.add(run);
      return run;
    };
  }
}
