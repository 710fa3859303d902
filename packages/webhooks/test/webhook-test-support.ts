import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SecretBox } from '@switchboard/auth';
import { publicAddressesOnly } from '@switchboard/outbound';
import { applyQueueMigrations, Jobs, Outbox, withOutbox, type TransactionHandle } from '@switchboard/queue';
import { hashFoldersContent, openTestDatabase, openTestRedis } from '@switchboard/testing';
import pg from 'pg';
import {
  applyWebhookMigrations,
  defineDeliveryJob,
  webhookDefaults,
  Webhooks,
  type WebhookSettings,
  type WebhooksOptions,
} from '../src/index.js';

/** A request that a {@link Receiver} got. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Data of the event in the body. */
  readonly data: unknown;
}

/** An HTTP server that records webhooks. */
export class Receiver {
  readonly received: ReceivedWebhook[] = [];
  /** Returns the status of the response to a request. */
  respond: (hook: ReceivedWebhook) => number = () => 204;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const { data } = JSON.parse(body) as { data: unknown };
        const hook = { path: request.url ?? '', headers: request.headers, body, data };
        this.received.push(hook);
        response.writeHead(this.respond(hook), { location: '/redirected' }).end('received');
      });
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Returns the data of the events received on a path, in the order of arrival. */
  dataOf(path = '/'): unknown[] {
    return this.received.filter((hook) => hook.path === path).map(({ data }) => data);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

const queueSql = new URL('../../queue/sql/', import.meta.url).pathname;
const webhookSql = new URL('../sql/', import.meta.url).pathname;

/** Settings with short times and loopback addresses. */
export const testSettings: WebhookSettings = {
  ...webhookDefaults,
  retry: { retries: 3, initialMs: 20, factor: 1, maxMs: 1_000, jitter: 0 },
  outbound: { ...webhookDefaults.outbound, policy: { ...publicAddressesOnly, allowLoopback: true } },
  sweepMs: 200,
};

/** Encryption with a fixed key. */
const sealer = new SecretBox({ keys: { a: Buffer.alloc(32, 7).toString('base64') }, current: 'a' });

/** A service of a test that sends webhooks, with a database of its own. */
export interface WebhookService {
  readonly pool: pg.Pool;
  readonly webhooks: Webhooks;
  readonly outbox: Outbox;
  /** Starts webhooks with other options on the same database. The caller must stop them before the service. */
  startAnother(options: Partial<WebhooksOptions>): Promise<RunningWebhooks>;
  /** Runs a function in a transaction. */
  inTransaction<T>(work: (tx: TransactionHandle) => Promise<T> | T): Promise<T>;
  /** Emits events, each in a transaction of its own. */
  emit(...events: Parameters<Webhooks['emit']>[1][]): Promise<void>;
  stop(): Promise<void>;
}

/** Webhooks of a process, with their outbox and jobs. */
type RunningWebhooks = Pick<WebhookService, 'webhooks' | 'outbox' | 'inTransaction' | 'stop'>;

async function startWebhooks(
  pool: pg.Pool,
  connection: { readonly redis: string; readonly prefix: string },
  options: Partial<WebhooksOptions>,
): Promise<RunningWebhooks> {
  const settings = options.settings ?? testSettings;
  const definition = defineDeliveryJob(settings, options.name);
  const outbox = new Outbox({ pool, ...connection, sweepMs: 200 });
  const jobs = new Jobs({ ...connection, definitions: [definition], stopGraceMs: 100 });
  const webhooks = new Webhooks({ database: pool, outbox, jobs, definition, settings, sealer, ...options });
  await outbox.start('all');
  jobs.start();
  webhooks.start();
  return {
    webhooks,
    outbox,
    inTransaction: (work) => withOutbox(pool, outbox, async (tx) => work(tx)),
    stop: async () => {
      await jobs.stop();
      await outbox.stop();
      await webhooks.stop();
    },
  };
}

/** Starts a service whose tables are empty. */
export async function startService(options: Partial<WebhooksOptions> = {}): Promise<WebhookService> {
  const database = await openTestDatabase({
    name: 'webhooks',
    hash: `${await hashFoldersContent(queueSql)} ${await hashFoldersContent(webhookSql)}`,
    prepare: async (url) => {
      const pool = new pg.Pool({ connectionString: url });
      await applyQueueMigrations(pool);
      await applyWebhookMigrations(pool);
      await pool.end();
    },
  });
  const redis = openTestRedis();
  const pool = new pg.Pool({ connectionString: database.url });
  const connection = { redis: redis.url, prefix: redis.prefix.replace(/:$/, '') };
  const running = await startWebhooks(pool, connection, options);
  const { webhooks, outbox, inTransaction } = running;
  return {
    pool,
    webhooks,
    outbox,
    startAnother: (others) => startWebhooks(pool, connection, others),
    inTransaction,
    emit: async (...events) => {
      for (const event of events) await inTransaction((tx) => webhooks.emit(tx, event));
    },
    stop: async () => {
      await running.stop();
      await pool.end();
      await Promise.all([database.release(), redis.cleanup()]);
    },
  };
}
