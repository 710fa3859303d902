import { Injectable, Module } from '@nestjs/common';
import { defineJob, EventLog, Jobs, Outbox, type DispatchedOutboxRow } from '@switchboard/queue';
import { waitFor } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InjectEventLog, InjectJobs, InjectOutbox, OnJob, OnOutboxMessage, QueueModule } from '../src/index.js';
import {
  closeApplications,
  createGate,
  orderPlaced,
  QueueServers,
  sendReceipt,
  startApplication,
} from './queue-test-service.js';

let servers: QueueServers;

beforeAll(async () => {
  servers = await QueueServers.open();
});

afterEach(closeApplications);

afterAll(() => servers.close());

type Order = { orderId: number };

/** Test provider that adds a job for each placed order, and records the jobs that have run. */
@Injectable()
class Receipts {
  readonly sent: number[] = [];

  constructor(
    @InjectJobs() private readonly jobs: Jobs,
    @InjectOutbox() readonly outbox: Outbox,
  ) {}

  @OnOutboxMessage(orderPlaced)
  async addJobs(rows: readonly DispatchedOutboxRow<Order>[]): Promise<{ afterCommit: () => Promise<void> }> {
    const added = rows.map(({ payload }) => ({ payload, id: `receipt-${payload.orderId}` }));
    return { afterCommit: () => this.jobs.addBulk(sendReceipt, added) };
  }

  @OnJob(sendReceipt)
  async send({ orderId }: Order): Promise<void> {
    this.sent.push(orderId);
  }
}

describe('QueueModule', () => {
  it('calls decorated methods for an outbox message, and for the job that this message adds', async () => {
    const options = { ...servers.connections, jobs: { definitions: [sendReceipt] } };
    const application = await startApplication([QueueModule.forRoot(options)], [Receipts]);
    const receipts = application.get(Receipts);
    await servers.placeOrder(receipts.outbox, 1);
    await waitFor(() => receipts.sent.length === 1, { what: 'the receipt' });
    expect(receipts.sent).toEqual([1]);
  });

  it('calls the decorated methods of a provider that a factory creates', async () => {
    const factory = {
      provide: 'receipts',
      inject: [Jobs, Outbox],
      useFactory: (jobs: Jobs, outbox: Outbox) => new Receipts(jobs, outbox),
    };
    const alias = { provide: 'alias of receipts', useExisting: 'receipts' };
    const options = { ...servers.connections, jobs: { definitions: [sendReceipt] } };
    const application = await startApplication([QueueModule.forRoot(options)], [factory, alias]);
    const receipts = application.get<Receipts>('receipts');
    await servers.placeOrder(receipts.outbox, 2);
    await waitFor(() => receipts.sent.length === 1, { what: 'the receipt' });
  });

  it('takes its options from a factory with injected providers', async () => {
    const CONNECTIONS = Symbol('connections');
    @Module({ providers: [{ provide: CONNECTIONS, useValue: servers.connections }], exports: [CONNECTIONS] })
    class ConnectionsModule {}
    const queue = QueueModule.forRootAsync({
      parts: ['jobs'],
      imports: [ConnectionsModule],
      inject: [CONNECTIONS],
      useFactory: async (connections: QueueServers['connections']) => ({
        ...connections,
        jobs: { definitions: [sendReceipt] },
      }),
    });
    const application = await startApplication([queue], [Receipts]);
    const receipts = application.get(Receipts);
    expect(receipts.outbox.schemaAndKeyPrefix.prefix).toBe(servers.prefix);
    await servers.placeOrder(receipts.outbox, 3);
    await waitFor(() => receipts.sent.length === 1, { what: 'the receipt' });
  });

  it.each([
    [['jobs', 'eventLog'], {}, /returned no option jobs/],
    [[], { eventLog: {} }, /returned the option eventLog/],
  ] as const)('refuses a factory whose options do not match the declared parts %j', async (parts, given, message) => {
    const useFactory = () => ({ ...servers.connections, ...given });
    await expect(startApplication([QueueModule.forRootAsync({ parts, useFactory })])).rejects.toThrow(message);
  });

  it('uses the outbox, jobs and event log objects that the options contain', async () => {
    const { pool, redis, prefix } = servers.connections;
    const outbox = new Outbox({ pool, redis, prefix: prefix! });
    const jobs = new Jobs({ redis, prefix: prefix!, definitions: [sendReceipt] });
    const eventLog = new EventLog({ outbox, pool, redis, prefix: prefix! });
    const queue = QueueModule.forRoot({ ...servers.connections, outbox, jobs, eventLog });
    const application = await startApplication([queue], [Receipts]);
    expect([application.get(Outbox), application.get(Jobs), application.get(EventLog)]).toEqual([
      outbox,
      jobs,
      eventLog,
    ]);
    await servers.placeOrder(outbox, 4);
    await waitFor(() => application.get(Receipts).sent.length === 1, { what: 'the receipt' });
  });

  it('creates an event log in tables that does not use Redis', async () => {
    const unreachable = { ...servers.connections, redis: 'redis://127.0.0.1:1' };
    const queue = QueueModule.forRoot({ ...unreachable, eventLog: { store: 'tables' } });
    const eventLog = (await startApplication([queue])).get(EventLog);
    const owned = { realm: 'shop', owner: '1' };
    const options = { ...owned, idleTimeoutSeconds: 60, filter: {}, capabilities: {} };
    const { queueId } = await eventLog.register(options, async () => null);
    expect(await eventLog.listOwnersOfQueues('shop', ['1', '2'])).toEqual(new Set(['1']));
    await eventLog.remove({ ...owned, queueId });
  });

  it('runs no jobs in a process with the role api', async () => {
    const options = { ...servers.connections, jobs: { definitions: [sendReceipt] } };
    const api = await startApplication([QueueModule.forRoot({ ...options, role: 'api' })], [Receipts]);
    await servers.placeOrder(api.get(Receipts).outbox, 5);
    await waitFor(async () => (await api.get(Jobs).metrics())[0]?.waiting === 1, { what: 'the job' });
    const worker = await startApplication([QueueModule.forRoot({ ...options, role: 'worker' })], [Receipts]);
    await waitFor(() => worker.get(Receipts).sent.length === 1, { what: 'the receipt' });
    expect([api.get(Receipts).sent, worker.get(Receipts).sent]).toEqual([[], [5]]);
  });

  it('refuses to start a worker without a handler of a defined job', async () => {
    const queue = QueueModule.forRoot({ ...servers.connections, jobs: { definitions: [sendReceipt] } });
    await expect(startApplication([queue])).rejects.toThrow('receipts.send has no handler');
  });
});

describe('shutdown of QueueModule', () => {
  it('waits for a running job, and leaves the pool open until the job has ended', async () => {
    const slow = defineJob({ name: 'slow', payload: z.strictObject({}) });
    const steps: string[] = [];
    const gate = createGate();
    @Injectable()
    class SlowWork {
      @OnJob(slow)
      async run(): Promise<void> {
        steps.push('began');
        await gate.opened;
        await servers.pool.query('SELECT 1');
        steps.push('ended');
      }
    }
    const closePool = async (): Promise<void> => void steps.push('pool closed');
    const application = await startApplication(
      [QueueModule.forRoot({ ...servers.connections, closePool, jobs: { definitions: [slow] } })],
      [SlowWork],
    );
    await application.get(Jobs).add(slow, {});
    await waitFor(() => steps.length === 1, { what: 'the start of the job' });
    const closing = application.close();
    gate.open();
    await closing;
    expect(steps).toEqual(['began', 'ended', 'pool closed']);
  });

  it('adds the jobs of outbox messages that are dispatched after the workers have stopped', async () => {
    const { pool, ...connections } = servers.connections;
    const workersStopped = createGate();
    class ObservedJobs extends Jobs {
      override async stopWorkers(): Promise<void> {
        await super.stopWorkers();
        workersStopped.open();
      }
    }
    @Injectable()
    class LateReceipts extends Receipts {
      @OnOutboxMessage(orderPlaced)
      override async addJobs(
        rows: readonly DispatchedOutboxRow<Order>[],
      ): Promise<{ afterCommit: () => Promise<void> }> {
        await workersStopped.opened;
        return super.addJobs(rows);
      }
    }
    const jobs = new ObservedJobs({ ...connections, prefix: servers.prefix, definitions: [sendReceipt] });
    const queue = QueueModule.forRoot({ ...connections, pool, jobs });
    const application = await startApplication([queue], [LateReceipts]);
    await servers.placeOrder(application.get(Outbox), 6);
    await application.close();
    const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM queue.outbox');
    const observer = new Jobs({ ...connections, prefix: servers.prefix, definitions: [sendReceipt] });
    const [metrics] = await waitFor(() => observer.metrics(), { what: 'the connection to Redis' });
    await observer.stop();
    expect({ rows: rows[0]?.count, jobs: metrics?.waiting }).toEqual({ rows: 0, jobs: 1 });
  });

  it('ends polls before the HTTP server closes, so that polls receive an empty response', async () => {
    @Injectable()
    class Polls {
      constructor(@InjectEventLog() readonly eventLog: EventLog) {}
    }
    const application = await startApplication(
      [QueueModule.forRoot({ ...servers.connections, eventLog: {} })],
      [Polls],
    );
    const { eventLog } = application.get(Polls);
    const { queueId } = await eventLog.register(
      { realm: 'shop', owner: '7', idleTimeoutSeconds: 600, filter: {}, capabilities: {} },
      async () => null,
    );
    const polled = eventLog.poll({ realm: 'shop', owner: '7', queueId, lastEventId: -1, block: true }, () => []);
    await waitFor(() => eventLog.metrics().waiters === 1, { what: 'the poll' });
    await application.close();
    expect(await polled).toEqual([]);
  });

  it('adds its steps to the given shutdown phases instead of the shutdown hooks of Nest', async () => {
    const steps: { phase: string; close: () => Promise<void> }[] = [];
    const shutdown = {
      addStep: (phase: string, _name: string, close: () => Promise<void>) => void steps.push({ phase, close }),
    };
    const closePool = async (): Promise<void> => {};
    const options = { ...servers.connections, shutdown, closePool, jobs: { definitions: [sendReceipt] }, eventLog: {} };
    const application = await startApplication([QueueModule.forRoot(options)], [Receipts]);
    await application.close();
    const receipts = application.get(Receipts);
    // The application has closed, and the queue still works.
    await servers.placeOrder(receipts.outbox, 7);
    await waitFor(() => receipts.sent.includes(7), { what: 'the receipt' });
    expect(steps.map(({ phase }) => phase)).toEqual(['intake', 'drain', 'redis', 'postgres']);
    for (const { close } of steps) await close();
    await expect(application.get(Jobs).add(sendReceipt, { orderId: 8 })).rejects.toThrow(/writeable|unavailable/);
  });
});
