import { join } from 'node:path';
import pg from 'pg';
import { type ServerProcess, startServerProcess } from '../server-process.js';
import { runAdminCommand, repositoryRoot, type BenchmarkServices } from '../benchmark-services.js';
import type { BenchmarkWebhookReceiver } from './bench-receivers.js';

/** Numbers of changes, deliveries and objects that the webhook benchmark uses. */
export interface WebhookBenchmarkSize {
  /** Number of site changes per run for which the webhook latency is measured. */
  readonly changes: number;
  /** Number of deliveries to each receiver. The benchmark uses twenty receivers. */
  readonly deliveriesEach: number;
  /** Number of objects that one measured request changes. */
  readonly objects: number;
}

/** Numbers of changes, deliveries and objects for the published figures. */
export const publishedWebhookBenchmarkSize: WebhookBenchmarkSize = {
  changes: 400,
  deliveriesEach: 500,
  objects: 1_000,
};

/** A running inventory service for the webhook benchmark, with sites that the benchmark changes. */
export class WebhookBenchmarkInventory {
  private constructor(
    readonly server: ServerProcess,
    readonly database: pg.Pool,
    private readonly authorization: string,
  ) {}

  /** Starts the inventory service on an empty database and creates the given number of sites, numbered from 1. */
  static async startWithSites(stack: BenchmarkServices, sites: number): Promise<WebhookBenchmarkInventory> {
    const env: Record<string, string> = { ...stack.envOf('inventory'), WEBHOOK_ALLOW_LOOPBACK: 'true' };
    runAdminCommand('inventory', env, ['create-superuser', 'hooks', '--password', 'Benchmark-password-1']);
    const token = /nbt_\S+/.exec(runAdminCommand('inventory', env, ['create-token', 'hooks']))?.[0] ?? '';
    const database = new pg.Pool({ connectionString: env['DATABASE_URL'] ?? '', max: 2 });
    await database.query('DELETE FROM dcim_site');
    await database.query(
      `INSERT INTO dcim_site (id, name, slug) SELECT n, 'Bench ' || n, 'bench-' || n FROM generate_series(1, $1) n`,
      [sites],
    );
    await database.query('VACUUM ANALYZE');
    const server = await startServerProcess(
      join(repositoryRoot, 'apps/inventory/dist/bundle.js'),
      env,
      '/health/ready',
    );
    return new WebhookBenchmarkInventory(server, database, `Bearer ${token}`);
  }

  /** Adds a webhook with an enabled event rule for every change of a site. Returns the id of the webhook. */
  async addSiteChangeWebhook(receiver: BenchmarkWebhookReceiver): Promise<number> {
    const name = `Hook ${receiver.url}`;
    const { id } = await this.#call('POST', 'extras/webhooks/', { name, payload_url: receiver.url });
    await this.#call('POST', 'extras/event-rules/', {
      name,
      object_types: ['dcim.site'],
      event_types: ['object_updated'],
      action_type: 'webhook',
      action_object_type: 'extras.webhook',
      action_object_id: id,
    });
    return id;
  }

  /** Enables the event rules of the given webhooks and disables all other event rules. */
  async enableOnlyRulesOfWebhooks(hooks: readonly number[]): Promise<void> {
    await this.database.query('UPDATE extras_eventrule SET enabled = action_object_id = ANY ($1::bigint[])', [hooks]);
  }

  /** Sets the description of the sites with the numbers 1 to `count` in one request. */
  async setSiteDescriptions(count: number, description: string): Promise<void> {
    const sites = Array.from({ length: count }, (_, index) => ({ id: index + 1, description }));
    await this.#call('PATCH', 'dcim/sites/', sites);
  }

  /** HTTP headers of the benchmark's requests to the inventory service. */
  get requestHeaders(): Record<string, string> {
    return { authorization: this.authorization, 'content-type': 'application/json' };
  }

  /** Deletes all stored webhook deliveries. */
  async deleteWebhookDeliveries(): Promise<void> {
    await this.database.query('TRUNCATE webhook_deliveries CASCADE');
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.database.end();
  }

  async #call(method: string, path: string, body: unknown): Promise<{ id: number }> {
    const url = `${this.server.origin}/api/${path}`;
    const response = await fetch(url, { method, headers: this.requestHeaders, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as { id: number };
  }
}
