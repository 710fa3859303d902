/**
 * What a change and its webhook cost at the least: Fastify, a bare transaction, a BullMQ job and fetch, in one process.
 * The job is added when the transaction has committed and lost when the process dies then; there is no rule, no
 * signature, no order and no record of what was sent.
 */
import { Queue, Worker } from 'bullmq';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';

const { DATABASE_URL = '', REDIS_URL = '', PORT = '0', RECEIVER_URL = '' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const connect = (): Redis => new Redis(REDIS_URL, { maxRetriesPerRequest: null });
const prefix = '{bench-webhooks}';
const queue = new Queue<{ body: string }>('webhooks', { connection: connect(), prefix });
const worker = new Worker<{ body: string }>(
  'webhooks',
  async ({ data: { body } }) => {
    const response = await fetch(RECEIVER_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`status ${response.status}`);
  },
  { connection: connect(), prefix, concurrency: 20 },
);
await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);

const server = Fastify({ logger: false });

server.get('/health/ready', () => ({ status: 'ok' }));

server.patch<{ Params: { id: string }; Body: { description: string } }>(
  '/api/dcim/sites/:id/',
  async ({ params, body }) => {
    const client = await pool.connect();
    let site: Record<string, unknown> | undefined;
    try {
      await client.query('BEGIN');
      const { rows } = await client.query<Record<string, unknown>>({
        name: 'update',
        text: 'UPDATE dcim_site SET description = $2, last_updated = now() WHERE id = $1 RETURNING *',
        values: [params.id, body.description],
      });
      await client.query('COMMIT');
      [site] = rows;
    } finally {
      client.release();
    }
    const event = { event: 'updated', timestamp: new Date().toISOString(), object_type: 'dcim.site', data: site };
    await queue.add('deliver', { body: JSON.stringify(event) }, { removeOnComplete: 1_000, attempts: 6 });
    return site;
  },
);

await server.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));
