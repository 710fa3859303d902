import { OutboundClient } from '@switchboard/outbound';
import {
  processClock,
  silentLogger,
  type JobHandler,
  type Jobs,
  type OnFaultPoint,
  type Outbox,
  type OutboxMessageType,
  type QueueClock,
  type QueueLogger,
  type QueueTx,
  type TransactionHandle,
} from '@switchboard/queue';
import { CircuitBreakers } from './circuit-breakers.js';
import { runDeliveryJob, type DeliveryOutcome } from './run-delivery-job.js';
import { DeliveryQueue, type DeliveryJob, type DeliveryJobDefinition } from './delivery-queue.js';
import { DeliveryStore } from './delivery-store.js';
import { DeliverySweep } from './delivery-sweep.js';
import type { ClaimedDelivery, EndpointSource } from './endpoint-source.js';
import { FirstAttempts } from './first-delivery-attempts.js';
import { LoopbackWatch } from './loopback-watch.js';
import {
  defineRequeuedMessage,
  requeuedDispatcher,
  requeueMatchingDeliveries,
  type DeliveryRequeueCondition,
  type RequeueResult,
  type RequeuedDeliveries,
} from './requeue-deliveries.js';
import type { WebhookSettings } from './webhook-settings.js';

/** Options of {@link DeliveryEngine}. */
export interface DeliveryEngineOptions<Target> {
  /**
   * Pool or database in which each statement is a separate transaction. It must connect to the primary.
   */
  readonly database: QueueTx;
  /** Database for background statements, which may have a longer timeout. Default: `database`. */
  readonly sweepDatabase?: QueueTx;
  readonly outbox: Outbox;
  /** Job queue in which the job type `definition` is registered. */
  readonly jobs: Jobs;
  /** Result of `defineDeliveryJob` with the same settings and name. */
  readonly definition: DeliveryJobDefinition;
  readonly settings: WebhookSettings;
  readonly source: EndpointSource<Target>;
  /**
   * Prefix of the names of job and outbox messages. Engines with the same `prefix` of jobs and outbox need different
   * names. Default `webhooks`.
   */
  readonly name?: string;
  readonly logger?: QueueLogger;
  readonly clock?: QueueClock;
  /** Called after the outcome of an attempt was recorded, for metrics of the service. */
  readonly onOutcome?: (outcome: DeliveryOutcome, delivery: ClaimedDelivery<Target>) => void;
  /** Called with the names `delivery.before-send` and `delivery.after-send`. For fault tests. */
  readonly faultPoint?: OnFaultPoint | undefined;
}

/**
 * Delivers the rows of some tables to their endpoints. The constructor registers the handler of the delivery job and the
 * dispatcher of requeued deliveries, so it must run before `outbox.start()` and `jobs.start()`.
 */
export class DeliveryEngine<Target> {
  /** Statements about the deliveries. */
  readonly store: DeliveryStore<Target>;
  /** Adds the jobs of deliveries. */
  readonly queue: DeliveryQueue;
  /** Circuit breakers of this process, one per receiver that does not respond. */
  readonly breakers: CircuitBreakers;
  /** First attempts that begin with the commit. */
  readonly firstAttempts: FirstAttempts<Target>;
  /** Periodic task that adds jobs for deliveries without a job. */
  readonly sweep: DeliverySweep;
  /** Periodic task that detects the start of receivers on this machine. */
  readonly loopbackWatch: LoopbackWatch;
  readonly #client: OutboundClient;
  readonly #requeued: OutboxMessageType<RequeuedDeliveries>;
  readonly #running = new Set<Promise<unknown>>();

  /** @throws RangeError if the address policy contains an invalid network */
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
    this.sweep = new DeliverySweep({ ...background, settings });
    this.loopbackWatch = new LoopbackWatch({ ...background, breakers });
    outbox.dispatch(this.#requeued, requeuedDispatcher(database, store, queue));
    const deliver = runDeliveryJob({
      database,
      store,
      queue,
      breakers,
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

  /** Starts the periodic tasks. Call it in processes that send deliveries, after `jobs.start()`. */
  start(): void {
    this.sweep.start();
    this.loopbackWatch.start();
  }

  /**
   * Stops the periodic tasks, waits for running attempts and closes connections to receivers. Call it after
   * `jobs.stop()`.
   */
  async stop(): Promise<void> {
    await Promise.all([this.sweep.stop(), this.loopbackWatch.stop()]);
    // `jobs.stop()` does not wait for aborted handlers.
    await Promise.allSettled(this.#running);
    await this.#client.close();
  }

  /**
   * Checks the URL of an endpoint: its form, its port, and its host if that is an IP address.
   *
   * @throws UrlRefusedError or AddressRefusedError of `@switchboard/outbound`
   */
  checkUrl(url: string): void {
    this.#client.checkUrl(url);
  }

  /**
   * Requeues failed deliveries that match an SQL condition, in the transaction `tx`. Their jobs are added after its
   * commit.
   */
  requeueMatchingDeliveries(tx: TransactionHandle, condition: DeliveryRequeueCondition): Promise<RequeueResult> {
    return requeueMatchingDeliveries(
      tx,
      { store: this.store, outbox: this.options.outbox, message: this.#requeued },
      condition,
    );
  }

  #countOutcome(outcome: DeliveryOutcome, delivery: ClaimedDelivery<Target>): void {
    this.options.onOutcome?.(outcome, delivery);
  }

  #trackAttempts(handle: JobHandler<DeliveryJob>): JobHandler<DeliveryJob> {
    return (job, context) => {
      const run = handle(job, context).finally(() => this.#running.delete(run));
      this.#running.add(run);
      return run;
    };
  }
}
