import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  defineJob,
  defineOutboxMessage,
  FinalJobError,
  Outbox,
  silentLogger,
  withOutbox,
  type QueueLogger,
  type TraceContext,
} from '../src/index.js';
import { makeJobs, payload, stopJobs } from './jobs-support.js';
import { redisUrl, testPool, uniqueName, until } from './queue-test-support.js';

const topic = defineOutboxMessage({ name: 'orders', version: 1, payload });
const job = defineJob({ name: 'receipt', payload, attempts: 2, backoff: { initialMs: 10, maxMs: 10 } });
const request = new AsyncLocalStorage<TraceContext>();
const lines: { fields: object; message: string }[] = [];

let database: Awaited<ReturnType<typeof testPool>>;
let outbox: Outbox;
let server: Server;

/** Creates a logger that adds the given fields to each line, like a child logger of pino. */
function loggerOf(bound: object): QueueLogger {
  const write = (fields: object, message: string): void =>
    void lines.push({ fields: { ...bound, ...fields }, message });
  return { ...silentLogger, info: write, warn: write, error: write };
}

beforeEach(async () => {
  database = await testPool();
  const prefix = uniqueName();
  const jobs = makeJobs([job], { prefix, logger: loggerOf({}), logFor: loggerOf });
  jobs.handle(job, async ({ n }, { log, attempt }) => {
    log.info({ n }, 'receipt sent');
    if (attempt === 2) throw new FinalJobError('no such address');
    throw new Error('down');
  });
  jobs.start();
  outbox = new Outbox({ pool: database.pool, redis: redisUrl, prefix, context: () => request.getStore() ?? {} });
  outbox.dispatch(topic, async (rows) => {
    const work = rows.map((row) => ({ payload: row.payload, id: `order-${row.id}`, context: row.context }));
    return { afterCommit: () => jobs.addBulk(job, work) };
  });
  await outbox.start('all');
  server = createServer((incoming, response) => {
    const requestId = incoming.headers['x-request-id']?.toString();
    const traceparent = incoming.headers['traceparent']?.toString();
    const order = (): Promise<void> => withOutbox(database.pool, outbox, async (tx) => outbox.add(tx, topic, { n: 7 }));
    void request.run({ requestId, traceparent }, order).then(() => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.close();
  await outbox.stop();
  await stopJobs();
  await database.drop();
});

it('job log lines carry request id and trace of the HTTP request', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers: { 'x-request-id': 'req-42', traceparent } });
  await until(() => lines.some(({ message }) => message === 'job failed permanently'));
  const ours = lines.filter(({ message }) => /receipt|job attempt|job failed/.test(message));
  expect(ours.map(({ message }) => message)).toEqual([
    'receipt sent',
    'job attempt failed',
    'receipt sent',
    'job attempt failed',
    'job failed permanently',
  ]);
  for (const { fields } of ours) expect(fields).toMatchObject({ job: 'receipt', requestId: 'req-42', traceparent });
});
