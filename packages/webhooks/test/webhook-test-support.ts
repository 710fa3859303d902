import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SecretTextEncryptor } from '@switchboard/auth';
import { publicAddressesOnly } from '@switchboard/outbound';
import { applyQueueMigrations, Jobs, Outbox, withOutbox, type TransactionHandle } from '@switchboard/queue';
import { hashFoldersContent, openTestDatabase, openTestRedis } from '@switchboard/testing';
import pg from 'pg';
import {
  applyWebhookMigrations,
  defineDeliveryJob,
  webhookDefaults,
  Webhooks,
  type WebhookDeliverySettings,
  type WebhooksOptions,
} from '../src/index.js';

/** A webhook request that a {@link Receiver} has received. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Data of the event in the body of the webhook request. */
  readonly data: unknown;
}

/** An HTTP server for tests that records the received webhook requests. */
export class Receiver {
  readonly received: ReceivedWebhook[] = [];
  /** Function that returns the status of the response to a webhook request. Default: 204 for every request. */
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

  /** Returns the data of the events that the receiver got on a path, in the order of arrival. */
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

/** Settings of webhook delivery for tests, with short times and permitted loopback addresses. */
export const testSettings: WebhookDeliverySettings = {
  ...webhookDefaults,
  retry: { retries: 3, initialMs: 20, factor: 1, maxMs: 1_000, jitter: 0 },
  outbound: { ...webhookDefaults.outbound, policy: { ...publicAddressesOnly, allowLoopback: true } },
  sweepMs: 200,
};

/** Encryption of endpoint secrets with a fixed key, for tests. */
const sealer = new SecretTextEncryptor({ keys: { a: Buffer.alloc(32, 7).toString('base64') }, current: 'a' });

/** A test service that sends webhooks and has a separate database. */
export interface WebhookService {
  readonly pool: pg.Pool;
  readonly webhooks: Webhooks;
  readonly outbox: Outbox;
  /**
   * Starts further webhooks with other options on the database of the service. The caller must stop the further
   * webhooks before the service.
   */
  startAnother(options: Partial<WebhooksOptions>): Promise<RunningWebhooks>;
  /** Runs a function in a transaction of the test service. */
  inTransaction<T>(work: (tx: TransactionHandle) => Promise<T> | T): Promise<T>;
  /** Emits webhook events, each event in a separate transaction. */
  emit(...events: Parameters<Webhooks['emit']>[1][]): Promise<void>;
  stop(): Promise<void>;
}

/** The webhooks of a process, with the outbox and jobs of the process. */
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

/** Starts a test service that sends webhooks and whose tables are empty. */
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
