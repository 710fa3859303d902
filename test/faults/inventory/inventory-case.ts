import type { Findings } from '../findings.js';
import type { Random } from '../random.js';
import { type DeployedRelease, Deployment } from '../services/deployment.js';
import type { StoreAddresses } from '../stores/stores.js';
import { checkDeliveries, type DeliveryFigures, type PossibleLoss } from './check-deliveries.js';
import { checkSites } from './check-sites.js';
import { adminToken, InventoryUser } from './inventory-user.js';
import { Receiver } from './receiver.js';
import { SiteWriter } from './site-writer.js';

/** Load on the inventory service for a fault test: clients that write sites, and a receiver of the sent webhooks. */
export class InventoryCase {
  readonly #stopWriting = new AbortController();
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly deployment: Deployment,
    readonly receiver: Receiver,
    private readonly user: InventoryUser,
    readonly writers: readonly SiteWriter[],
    private readonly findings: Findings,
  ) {}

  static async start(options: {
    readonly stores: StoreAddresses;
    readonly apis: number;
    readonly workers: number;
    readonly doingAll: number;
    readonly random: Random;
    readonly findings: Findings;
    /** Longest pause of a writer between two rounds of requests, in milliseconds; 80 by default. */
    readonly writePauseMs?: number;
    readonly releases?: readonly DeployedRelease[];
  }): Promise<InventoryCase> {
    const { stores, apis, workers, doingAll, random, findings, releases, writePauseMs } = options;
    const receiver = await new Receiver(random.fork()).start();
    const env = {
      DEMO_ADMIN_TOKEN: adminToken,
      DEMO_WEBHOOK_URL: receiver.url,
      DEMO_WEBHOOK_SECRET: receiver.secret,
      // Short times, after which other workers take over the deliveries of a dead worker.
      WEBHOOK_TOTAL_TIMEOUT_MS: '2000',
      WEBHOOK_RECORD_TIMEOUT_MS: '2000',
      WEBHOOK_SWEEP_MS: '1000',
      WEBHOOK_OVERDUE_MS: '1000',
      WEBHOOK_RETRIES: '50',
      // The single receiver gets the whole load. Tests of the inventory cover how receivers are isolated from each
      // other.
      WEBHOOK_DESTINATION_CONCURRENCY: '20',
      WEBHOOK_RETRY_INITIAL_MS: '100',
      WEBHOOK_RETRY_MAX_MS: '500',
      WEBHOOK_BREAKER_OPEN_MS: '100',
      WEBHOOK_BREAKER_MAX_OPEN_MS: '500',
    };
    const deployment = await Deployment.start({ app: 'inventory', apis, workers, doingAll, stores, env, releases });
    const user = new InventoryUser(deployment.proxy.origin);
    const parts = () => ({ random: random.fork(), findings, writePauseMs });
    const writers = ['ams', 'ber'].map((name) => new SiteWriter(user, name, parts()));
    return new InventoryCase(deployment, receiver, user, writers, findings);
  }

  /** Starts the load: the clients that write sites. */
  begin(): void {
    this.#writing = Promise.all(this.writers.map((writer) => writer.run(this.#stopWriting.signal)));
  }

  /** Number of changing requests that the inventory service has acknowledged so far. */
  get writes(): number {
    return this.writers.reduce((sum, { committed }) => sum + committed.length, 0);
  }

  /**
   * Stops the load, and waits until all webhook deliveries have arrived. Compares the deliveries and the stored sites
   * with the changes. `unstored` is the number of acknowledged sites that are not stored.
   */
  async end(loss?: PossibleLoss): Promise<DeliveryFigures & { readonly unstored: number }> {
    this.#stopWriting.abort();
    await this.#writing;
    const { user, receiver, writers, findings } = this;
    const unstored = await checkSites({ user, writers, findings });
    return { ...(await checkDeliveries({ user, receiver, writers, findings, loss })), unstored };
  }

  /** Stops the processes of the inventory service and the webhook receiver. */
  async stop(): Promise<void> {
    this.#stopWriting.abort();
    await this.deployment.stop();
    await this.receiver.stop();
  }
}
