import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { SecretTextEncryptor } from '@switchboard/auth';
import { applyMigrations, createDatabase, type Database } from '@switchboard/database';
import {
  applyQueueMigrations,
  Jobs,
  Outbox,
  processClock,
  type QueueClock,
  type QueueLogger,
  type QueueTx,
  type TransactionHandle,
} from '@switchboard/queue';
import { hashFoldersContent, openTestDatabase, openTestRedis, waitFor, type TestDatabase } from '@switchboard/testing';
import { defineDeliveryJob } from '@switchboard/webhooks';
import { inventoryChangeOutboxMessageType, type InventoryChange } from '../../src/changes/inventory-change-message.js';
import { actionObjectModels } from '../../src/destinations/index.js';
import { chatDestinationModel } from '../../src/destinations/chat/model.js';
import { webhook } from '../../src/destinations/webhook/model.js';
import { createFieldEncryptionPurpose } from '../../src/engine/sealed/encrypted-text-sql.js';
import {
  requeueDeliveries,
  webhookEnvironmentVariables,
  createWebhookSettings,
  WebhookDispatcher,
  type JsonValue,
  type WebhookSettings,
} from '../../src/webhooks/index.js';
import { Receiver } from './test-receiver.js';

const migrations = fileURLToPath(new URL('../../../../prisma/inventory/migrations', import.meta.url));
const queueSql = fileURLToPath(new URL('../../../../packages/queue/sql', import.meta.url));

/** Returns the default settings of webhook delivery with short times. Webhooks may be sent to loopback addresses. */
export function quickSettings(changes: Partial<WebhookSettings> = {}): WebhookSettings {
  const shipped = createWebhookSettings({ ...webhookEnvironmentVariables.parse({}), NODE_ENV: 'development' });
  return {
    ...shipped,
    retry: { ...shipped.retry, initialMs: 40, factor: 2 },
    outbound: { ...shipped.outbound, headersTimeoutMs: 2_000, totalTimeoutMs: 3_000 },
    leaseMs: 4_000,
    sweepMs: 50,
    overdueMs: 200,
    // Many tests need a few failed deliveries. Circuit breakers have separate tests.
    breaker: { ...shipped.breaker, failures: 1_000 },
    // The limit is high, so that a template does not fail on a busy machine.
    templates: { timeoutMs: 10_000, variables: {} },
    ...changes,
  };
}

/** A row of the table `webhook_deliveries`, with the request and the response of its last attempt. */
export interface DeliveryRow {
  id: string;
  sequence: number;
  action_type: string;
  action_object_id: number | null;
  webhook_id: number | null;
  event: string;
  object_type: string;
  object_id: number;
  request_id: string | null;
  status: string;
  attempts: number;
  requeued_after: number;
  next_attempt_at: Date | null;
  payload: Record<string, unknown>;
  body: string | null;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  duration_ms: number | null;
  finished: Date | null;
}

/** Returns a change of a site, in the form in which the write engine records changes. */
export function siteChange(changes: Partial<InventoryChange> = {}): InventoryChange {
  const { id = 9, event = 'updated' } = changes;
  const data = { id, url: `/api/dcim/sites/${id}/`, name: 'ams1', status: { value: 'active', label: 'Active' } };
  const requestId = randomUUID();
  return {
    model: 'dcim.site',
    id,
    event,
    timestamp: '2026-11-21T02:10:11.123456+00:00',
    requestId,
    username: 'admin',
    request: { id: requestId, method: 'PATCH', path: `/api/dcim/sites/${id}/`, user: 'admin' },
    data,
    snapshots: {
      prechange: event === 'created' ? null : { name: 'ams0', status: 'planned' },
      postchange: event === 'deleted' ? null : { name: 'ams1', status: 'active' },
    },
    ...changes,
  };
}

/** The parts of a service process that deliver webhooks. They run within the test process. */
export interface WebhookProcess {
  outbox: Outbox;
  jobs: Jobs;
  webhooks: WebhookDispatcher;
  /** Stops the parts of the process in the correct order. */
  stop(): Promise<void>;
}

/** Columns of an event rule that do not depend on the action of the rule. */
export interface RuleColumns {
  name?: string;
  enabled?: boolean;
  objectTypes?: string[];
  eventTypes?: string[];
  conditions?: JsonValue;
}

/** Test environment for webhooks: a database and a Redis prefix that several processes share. */
export class WebhookTestEnvironment {
  readonly logs: string[] = [];
  readonly secretBox = new SecretTextEncryptor({ keys: { k1: randomBytes(32).toString('base64') }, current: 'k1' });
  private readonly redis = openTestRedis();
  private readonly processes = new Set<WebhookProcess>();
  private readonly receivers: Receiver[] = [];
  private outbox: Outbox | undefined;

  private constructor(
    readonly database: Database,
    private readonly testing: TestDatabase,
  ) {}

  static async create(): Promise<WebhookTestEnvironment> {
    const testing = await openTestDatabase({
      name: 'webhooks',
      hash: await hashFoldersContent(migrations, queueSql),
      prepare: async (url) => {
        await applyMigrations({ url, folder: migrations, log: () => {} });
        const database = createDatabase({ url, applicationName: 'prepare', logger: quiet, slowQueryMs: 10_000 });
        await applyQueueMigrations(database.pool);
        await database.close();
      },
    });
    let rig: WebhookTestEnvironment | undefined;
    const database = createDatabase({
      url: testing.url,
      applicationName: 'webhooks test',
      logger: quiet,
      slowQueryMs: 10_000,
      beforeCommit: async (tx, ending) => rig?.outbox?.flush(tx, ending),
      afterCommit: (tx) => rig?.outbox?.dispatchAfterCommit(tx),
    });
    rig = new WebhookTestEnvironment(database, testing);
    return rig;
  }

  /** Starts a webhook receiver, which accepts requests until {@link reset} is called. */
  async receiver(...args: ConstructorParameters<typeof Receiver>): Promise<Receiver> {
    const receiver = await new Receiver(...args).start();
    this.receivers.push(receiver);
    return receiver;
  }

  /**
   * Creates a process that delivers webhooks. With `start: false`, the process runs no jobs. The jobs of the process
   * use `database`. `outboxSweepMs` is the interval, in milliseconds, at which leftover rows of the outbox are
   * dispatched. If a change is committed during such a dispatch, the change is also dispatched through the outbox.
   */
  process({
    settings = quickSettings(),
    outboxSweepMs = 50,
    start = true,
    database = this.database,
    clock = processClock,
  }: {
    settings?: WebhookSettings;
    outboxSweepMs?: number;
    start?: boolean;
    database?: QueueTx;
    clock?: QueueClock;
  } = {}): WebhookProcess {
    const { url: redis, prefix } = this.redis;
    const logger = this.logger();
    const definition = defineDeliveryJob(settings);
    const outbox = new Outbox({ pool: this.database.pool, redis, prefix, logger, sweepMs: outboxSweepMs });
    const jobs = new Jobs({ redis, prefix, logger, definitions: [definition], stopGraceMs: 100 });
    const openSealed = (sealed: string, purpose: string): string => this.secretBox.open(sealed, purpose);
    const webhooks = new WebhookDispatcher({ database, outbox, jobs, definition, settings, openSealed, logger, clock });
    if (start) {
      void outbox.start('all');
      jobs.start();
      webhooks.start();
    }
    this.outbox = outbox;
    const process: WebhookProcess = {
      outbox,
      jobs,
      webhooks,
      stop: async () => {
        this.processes.delete(process);
        await outbox.stop();
        await jobs.stop();
        await webhooks.stop();
      },
    };
    this.processes.add(process);
    return process;
  }

  /** Records changes and commits all of them in one transaction. */
  async commit(...changes: InventoryChange[]): Promise<void> {
    await this.database.inTransaction(async (tx) => this.add(tx, ...changes));
  }

  add(tx: TransactionHandle, ...changes: InventoryChange[]): void {
    for (const change of changes) {
      this.outbox?.add(tx, inventoryChangeOutboxMessageType, change, { key: `${change.model}:${change.id}` });
    }
  }

  /** Adds a webhook, and an event rule that triggers the webhook at every change of a site. */
  async addWebhook(payloadUrl: string, columns: Record<string, unknown> = {}, rule: RuleColumns = {}): Promise<number> {
    const { secret = '', ...rest } = columns;
    const name = `hook ${randomUUID()}`;
    const { rows } = await this.database.query<{ id: number }>(
      'INSERT INTO extras_webhook (name, payload_url) VALUES ($1, $2) RETURNING id',
      [name, payloadUrl],
    );
    const id = rows[0]!.id;
    const sealed =
      secret === '' ? '' : this.secretBox.seal(String(secret), createFieldEncryptionPurpose(webhook, 'secret'));
    for (const [column, value] of Object.entries({ ...rest, secret: sealed })) {
      await this.database.query(`UPDATE extras_webhook SET ${column} = $2 WHERE id = $1`, [id, value]);
    }
    await this.addRule({ type: 'webhook', objectType: 'extras.webhook', objectId: id }, { name, ...rule });
    return id;
  }

  /** Adds a chat destination, and an event rule that sends a message to the destination at every change of a site. */
  async addChat(serverUrl: string, columns: Record<string, string> = {}, rule: RuleColumns = {}): Promise<number> {
    const name = `chat ${randomUUID()}`;
    const { bot_key: key = 'sesame', ...rest } = columns;
    const given = { topic_template: 'sites', message_template: '{{ data.name }} was {{ event }}', name, ...rest };
    const all = { server_url: serverUrl, bot_email: 'bot@example.com', channel: 'network', ...given };
    const sealed = {
      ...all,
      bot_key: this.secretBox.seal(key, createFieldEncryptionPurpose(chatDestinationModel, 'bot_key')),
    };
    const { rows } = await this.database.query<{ id: number }>(
      `INSERT INTO extras_chatdestination (${Object.keys(sealed).join()})
       SELECT ${Object.keys(sealed).map((_, index) => `$${index + 1}`)} RETURNING id`,
      Object.values(sealed),
    );
    const id = rows[0]!.id;
    await this.addRule({ type: 'chat', objectType: 'extras.chatdestination', objectId: id }, { name, ...rule });
    return id;
  }

  /** Adds an event rule that performs an action at every change of a site. */
  async addRule(
    action: { type: string; objectType: string; objectId: number },
    {
      name = `rule ${randomUUID()}`,
      enabled = true,
      objectTypes = ['dcim.site'],
      eventTypes = ['object_created', 'object_updated', 'object_deleted'],
      conditions = null,
    }: RuleColumns = {},
  ): Promise<void> {
    await this.database.query(
      `INSERT INTO extras_eventrule
         (name, enabled, object_types, event_types, conditions, action_type, action_object_type, action_object_id)
       VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7, $8)`,
      [
        name,
        enabled,
        objectTypes,
        eventTypes,
        conditions && JSON.stringify(conditions),
        action.type,
        action.objectType,
        action.objectId,
      ],
    );
  }

  async deliveries(): Promise<DeliveryRow[]> {
    const { rows } = await this.database.query<DeliveryRow>(
      `SELECT d.*, a.response_body, CASE WHEN a.request_method IS NOT NULL THEN coalesce(a.request_body, d.payload::text) END AS body
         FROM webhook_deliveries d
         LEFT JOIN webhook_delivery_attempts a ON a.delivery_sequence = d.sequence AND a.number = d.attempts
        ORDER BY d.sequence`,
    );
    return rows;
  }

  /** Waits until the database contains `count` deliveries, all of which have ended. Returns the deliveries. */
  settled(count: number, timeoutMs = 45_000): Promise<DeliveryRow[]> {
    const done = async (): Promise<DeliveryRow[] | null> => {
      const rows = await this.deliveries();
      return rows.length >= count && rows.every(({ status }) => status !== 'queued') ? rows : null;
    };
    return waitFor(done, { timeoutMs, what: `${count} settled deliveries` });
  }

  /**
   * Requeues a failed or waiting delivery, as a request of an operator does. Returns the number of requeued deliveries.
   */
  async requeue(id: string): Promise<number> {
    const { outbox } = this;
    if (outbox === undefined) return 0;
    const condition = { where: 't.delivery_id = $1', waiting: true, values: [id] };
    return (await this.database.inTransaction((tx) => requeueDeliveries(tx, outbox, condition))).requeued;
  }

  /** Deletes all Redis keys that begin with the prefix of this test environment. */
  async loseRedis(): Promise<void> {
    await this.redis.cleanup();
  }

  /**
   * Stops all processes and receivers of the test environment. Deletes all event rules, webhooks, deliveries and outbox
   * rows.
   */
  async reset(): Promise<void> {
    for (const process of this.processes) await process.stop();
    await Promise.all(this.receivers.splice(0).map((receiver) => receiver.stop()));
    await this.redis.cleanup();
    const tables = actionObjectModels.filter(({ type }) => type !== 'extras.script').map(({ table }) => table);
    await this.database.query(
      `TRUNCATE webhook_deliveries, extras_eventrule, extras_notification, ${tables.join(', ')} CASCADE`,
    );
    await this.database.query('TRUNCATE queue.outbox');
    this.logs.length = 0;
  }

  async close(): Promise<void> {
    await this.reset();
    await this.database.close();
    await this.testing.release();
  }

  private logger(): QueueLogger {
    const keep = (fields: object, message: string): void => {
      this.logs.push(`${message} ${JSON.stringify(fields)}`);
    };
    return { debug: keep, info: keep, warn: keep, error: keep };
  }
}

const quiet = { warn: () => {}, error: () => {} };
