import { createServer } from 'node:http';
import { SecretTextEncryptor } from '@switchboard/auth';
import { publicAddressesOnly } from '@switchboard/outbound';
import { applyQueueMigrations, Jobs, Outbox, withOutbox } from '@switchboard/queue';
import { applyWebhookMigrations, defineDeliveryJob, webhookDefaults, Webhooks } from '@switchboard/webhooks';
import pg from 'pg';

const { DATABASE_URL, REDIS_URL = 'redis://localhost:6379', REDIS_PREFIX = 'orders', PORT = '3000' } = process.env;
const { SECRET_KEY = '', RECEIVER_URL = '', RECEIVER_SECRET = '', NODE_ENV } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL });
await applyQueueMigrations(pool);
await applyWebhookMigrations(pool);
await pool.query('CREATE TABLE IF NOT EXISTS changes (order_id int, step int, PRIMARY KEY (order_id, step))');

const policy = { ...publicAddressesOnly, allowLoopback: NODE_ENV === 'development' };
const outbound = { ...webhookDefaults.outbound, policy, totalTimeoutMs: 5_000 };
const settings = { ...webhookDefaults, outbound, leaseMs: 10_000, overdueMs: 2_000, sweepMs: 1_000 };
const definition = defineDeliveryJob(settings);
const outbox = new Outbox({ pool, redis: REDIS_URL, prefix: REDIS_PREFIX });
const jobs = new Jobs({ redis: REDIS_URL, prefix: REDIS_PREFIX, definitions: [definition] });
const sealer = new SecretTextEncryptor({ keys: { k1: SECRET_KEY }, current: 'k1' }); // base64 of 32 random bytes
const webhooks = new Webhooks({ database: pool, outbox, jobs, definition, settings, sealer });
await outbox.start('all');
jobs.start();
webhooks.start();

const { endpoints } = await webhooks.endpoints.list(pool, '');
const subscription = { url: RECEIVER_URL, eventTypes: ['order.changed'], secret: RECEIVER_SECRET };
if (endpoints.length === 0) await webhooks.endpoints.create(pool, '', subscription);

const server = createServer((request, response) => {
  const [, order, step] = /^\/orders\/(\d{1,9})\/(\d{1,9})$/.exec(request.url ?? '') ?? [];
  if (order === undefined) return response.writeHead(404).end();
  const change = withOutbox(pool, outbox, async (tx) => {
    await tx.query('INSERT INTO changes VALUES ($1, $2)', [order, step]);
    webhooks.emit(tx, { type: 'order.changed', key: order, payload: { order, step } });
  });
  return change.then(() => response.writeHead(204).end()).catch(() => response.writeHead(500).end());
}).listen(Number(PORT));
const stop = async (): Promise<void> => {
  server.close();
  for (const part of [jobs, outbox, webhooks]) await part.stop();
  await pool.end();
};
process.once('SIGTERM', () => void stop());
