import { fileURLToPath } from 'node:url';
import {
  applyQueueMigrations,
  defineJob,
  defineOutboxMessage,
  EventLog,
  FinalJobError,
  Jobs,
  Outbox,
  withOutbox,
} from '@switchboard/queue';
import { hashFoldersContent, openTestDatabase, openTestRedis, waitFor } from '@switchboard/testing';
import Fastify, { type FastifyInstance } from 'fastify';
import pg from 'pg';
import { z } from 'zod';
import { queueBoardPlugin, type QueueBoardPluginOptions } from '../src/index.js';

const order = z.strictObject({ orderId: z.int(), note: z.string() });

/** Kind of job of the tests. A job with the note `fail` fails permanently. */
export const sendReceipt = defineJob({ name: 'receipts.send', payload: order, attempts: 1 });

/** Type of the outbox messages of the tests. Its dispatcher fails while {@link QueueBoardTestService.failsToDispatch} is set. */
export const orderPlaced = defineOutboxMessage({ name: 'orders.placed', version: 1, payload: order });

/** Headers of a request that a page of the service itself sends. */
export const samePage = { 'sec-fetch-site': 'same-origin' };

/** Headers of a request with the credentials of an administrator. */
export const asAdministrator = { authorization: 'administrator' };

/** Guard of the tests: admits the administrator, and rejects requests without credentials by an error. */
const administratorsOnly: QueueBoardPluginOptions['guard'] = ({ headers }) => {
  if (headers.authorization === undefined) throw Object.assign(new Error('Log in'), { statusCode: 401 });
  return headers.authorization === asAdministrator.authorization;
};

/** A service on Fastify with outbox, jobs, event log and a board at `/admin/board`. */
export class QueueBoardTestService {
  failsToDispatch = true;
  readonly dispatched: number[] = [];
  readonly completed: string[] = [];

  private constructor(
    readonly server: FastifyInstance,
    readonly pool: pg.Pool,
    readonly outbox: Outbox,
    readonly jobs: Jobs,
    readonly eventLog: EventLog,
    private readonly release: () => Promise<unknown>,
  ) {}

  static async start(options: Partial<QueueBoardPluginOptions> = {}): Promise<QueueBoardTestService> {
    const database = await openTestDatabase({
      name: 'board',
      hash: await hashFoldersContent(fileURLToPath(new URL('../../queue/sql', import.meta.url))),
      prepare: async (url) => {
        const pool = new pg.Pool({ connectionString: url });
        await applyQueueMigrations(pool);
        await pool.end();
      },
    });
    const testRedis = openTestRedis();
    const [redis, prefix] = [testRedis.url, testRedis.prefix.replace(/:$/, '')];
    const pool = new pg.Pool({ connectionString: database.url });
    pool.on('error', () => {});
    const outbox = new Outbox({ pool, redis, prefix, maxAttempts: 1, retryDelayMs: 10, sweepMs: 100 });
    const jobs = new Jobs({ redis, prefix, definitions: [sendReceipt], outbox, stopGraceMs: 100 });
    const eventLog = new EventLog({ outbox, pool, redis, sweepMs: 60_000 });
    const server = Fastify();
    const release = () => Promise.all([database.release(), testRedis.cleanup()]);
    const service = new QueueBoardTestService(server, pool, outbox, jobs, eventLog, release);
    await service.open(options);
    return service;
  }

  private async open(options: Partial<QueueBoardPluginOptions>): Promise<void> {
    const { server, outbox, jobs, eventLog } = this;
    outbox.dispatch(orderPlaced, async (rows) => {
      if (this.failsToDispatch) throw new Error('the warehouse is closed');
      for (const { payload } of rows) this.dispatched.push(payload.orderId);
    });
    jobs.handle(sendReceipt, async ({ note }) => {
      if (note === 'fail') throw new FinalJobError('the printer is broken');
      this.completed.push(note);
    });
    await server.register(queueBoardPlugin, {
      prefix: '/admin/board',
      guard: administratorsOnly,
      jobs,
      outbox,
      eventLog,
      ...options,
    });
    await outbox.start('all');
    jobs.start();
    eventLog.start();
    await eventLog.waitUntilStoreResponds();
    await waitFor(
      async () => (await jobs.counts(sendReceipt)).failed === 0 && (await jobs.workingProcesses()).length > 0,
    );
  }

  /** Sends a request to the service. The default is a request of an administrator. */
  async send(method: 'GET' | 'HEAD' | 'POST' | 'PUT', url: string, headers: Record<string, string> = asAdministrator) {
    const response = await this.server.inject({ method, url, headers });
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      body: isJson && response.body !== '' ? JSON.parse(response.body) : null,
    };
  }

  /** Sends a request for a change, as the script of the board does. */
  change(path: string) {
    return this.send('PUT', `/admin/board/api/queues/${path}`, { ...asAdministrator, ...samePage });
  }

  /** Returns a queue on the board, with a page of its jobs in a state. */
  async findQueue(name: string, status = 'failed', page = 'page=1&jobsPerPage=10') {
    const query = `activeQueue=${encodeURIComponent(name)}&status=${status}&${page}`;
    const { body } = await this.send('GET', `/admin/board/api/queues?${query}`);
    return body.queues.find((queue: { name: string }) => queue.name === name);
  }

  /** Adds jobs that fail, and waits until all have failed. */
  async addFailedJobs(...ids: string[]): Promise<void> {
    const { failed } = await this.jobs.counts(sendReceipt);
    const payload = { orderId: 1, note: 'fail' };
    for (const id of ids) await this.jobs.add(sendReceipt, payload, { id });
    await waitFor(async () => (await this.jobs.counts(sendReceipt)).failed === failed + ids.length);
  }

  /** Commits outbox messages, and waits until they are dead letters. Returns their ids, oldest first. */
  async addDeadLetters(...payloads: { orderId: number; note: string }[]): Promise<string[]> {
    const before = (await this.outbox.listDeadLetters(orderPlaced.name, {}, 10_000)).length;
    for (const payload of payloads) {
      await withOutbox(this.pool, this.outbox, async (tx) => this.outbox.add(tx, orderPlaced, payload));
    }
    const letters = await waitFor(async () => {
      const found = await this.outbox.listDeadLetters(orderPlaced.name, {}, 10_000);
      return found.length === before + payloads.length && found;
    });
    return letters.slice(before).map(({ id }) => String(id));
  }

  async stop(): Promise<void> {
    await this.server.close();
    await this.jobs.stop();
    await this.outbox.stop();
    await this.eventLog.stop();
    await this.pool.end();
    await this.release();
  }
}
