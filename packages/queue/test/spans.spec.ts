import { collectTracingSpans, type CollectedTracingSpan, type ProcessSpanCollection } from '@switchboard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineJob, defineOutboxMessage, EventLog, Outbox, withOutbox, type TraceContext } from '../src/index.js';
import { add, makeJobs, payload, stopJobs } from './jobs-support.js';
import { redisUrl, testPool, uniqueName, until } from './queue-test-support.js';

const topic = defineOutboxMessage({ name: 'orders.placed', version: 1, payload });
const job = defineJob({ name: 'receipts.send', payload, attempts: 2, backoff: { initialMs: 10, maxMs: 10 } });
const header = (digit: string): string => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;

let spans: ProcessSpanCollection;
let database: Awaited<ReturnType<typeof testPool>>;
let closing: (() => Promise<void>)[];
let request: TraceContext;

beforeEach(async () => {
  closing = [];
  request = { requestId: 'request-1', traceparent: header('a') };
  spans = await collectTracingSpans();
  database = await testPool();
});
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  await stopJobs();
  await database.drop();
  await spans.stop();
});

/** Opens an outbox whose dispatcher adds a job for each outbox row. */
async function openOutbox({ drainAfterCommit = true } = {}): Promise<Outbox> {
  const prefix = uniqueName();
  const jobs = makeJobs([job], { prefix });
  jobs.handle(job, () => Promise.resolve());
  jobs.start();
  const outbox = new Outbox({ pool: database.pool, redis: redisUrl, prefix, context: () => request, drainAfterCommit });
  outbox.dispatch(topic, async (rows) => {
    const work = rows.map((row) => ({ payload: row.payload, id: `order-${row.id}`, context: row.context }));
    return { afterCommit: () => jobs.addBulk(job, work) };
  });
  await outbox.start('api');
  closing.push(() => outbox.stop());
  return outbox;
}

const addRows = (outbox: Outbox, ...numbers: number[]): Promise<void> =>
  withOutbox(database.pool, outbox, async (tx) => {
    for (const n of numbers) outbox.add(tx, topic, { n });
  });

const idOf = ({ traceId, spanId }: CollectedTracingSpan): object => ({ traceId, spanId });

describe('spans of outbox and jobs', () => {
  it('connect the request, the outbox row, its dispatch and its job in one trace by links', async () => {
    const outbox = await openOutbox();
    await addRows(outbox, 7);
    const { collector } = spans;
    const run = await collector.waitForSpan('run receipts.send');
    const dispatch = await collector.waitForSpan('dispatch orders.placed');
    const addJob = await collector.waitForSpan('add receipts.send');
    const addRow = await collector.waitForSpan('add orders.placed');
    expect([addRow, dispatch, addJob, run].map((span) => [span.kind, span.traceId, span.parentSpanId])).toEqual([
      ['producer', 'a'.repeat(32), 'a'.repeat(16)],
      ['consumer', 'a'.repeat(32), addRow.spanId],
      ['producer', 'a'.repeat(32), addRow.spanId],
      ['consumer', 'a'.repeat(32), addJob.spanId],
    ]);
    expect(dispatch.links).toEqual([idOf(addRow)]);
    expect(addJob.links).toEqual([idOf(addRow), idOf(dispatch)]);
    expect(run.links).toEqual([idOf(addJob)]);
    expect(run).toMatchObject({
      scope: '@switchboard/queue',
      hasFailed: false,
      attributes: {
        'messaging.system': 'switchboard.jobs',
        'messaging.destination.name': 'receipts.send',
        'messaging.operation.name': 'run',
        'messaging.operation.type': 'process',
        'messaging.message.id': expect.stringMatching(/^order-\d+$/),
        'switchboard.job.attempt': 1,
      },
    });
  });

  it('record one span for all rows of a message type in a transaction, and their number in the dispatch', async () => {
    const outbox = await openOutbox();
    await addRows(outbox, 1, 2, 3);
    const { collector } = spans;
    const dispatch = await collector.waitForSpan('dispatch orders.placed');
    expect(dispatch.attributes['messaging.batch.message_count']).toBe(3);
    const added = collector.spans.filter(({ name }) => name === 'add orders.placed');
    expect(added.map(idOf)).toEqual(dispatch.links);
  });

  it('record a batch of several traces in a new trace with links, and each job in its original trace', async () => {
    const outbox = await openOutbox({ drainAfterCommit: false });
    await addRows(outbox, 1);
    request = { traceparent: header('b') };
    await addRows(outbox, 2);
    await outbox.sweep();
    const { collector } = spans;
    const dispatch = await collector.waitForSpan('dispatch orders.placed');
    await collector.waitForSpan('run receipts.send', ({ traceId }) => traceId === 'a'.repeat(32));
    await collector.waitForSpan('run receipts.send', ({ traceId }) => traceId === 'b'.repeat(32));
    expect(dispatch.parentSpanId).toBe('');
    expect(dispatch.links.map(({ traceId }) => traceId)).toEqual(['a'.repeat(32), 'b'.repeat(32)]);
  });

  it('record a failed attempt by the name of its error', async () => {
    const jobs = makeJobs([job]);
    jobs.handle(job, () => Promise.reject(new RangeError('hunter2')));
    jobs.start();
    await add(jobs, job, { n: 1 });
    const { collector } = spans;
    const second = await collector.waitForSpan(
      'run receipts.send',
      ({ attributes }) => attributes['switchboard.job.attempt'] === 2,
    );
    expect(second).toMatchObject({ hasFailed: true, attributes: { 'error.type': 'RangeError' } });
    expect(Buffer.concat(collector.requests.map(({ body }) => body)).toString()).not.toContain('hunter2');
  });

  it('store the decision of a client that does not sample, and export no spans', async () => {
    request = { traceparent: header('a').replace(/01$/, '00') };
    const outbox = await openOutbox({ drainAfterCommit: false });
    await addRows(outbox, 1);
    const { rows } = await database.pool.query<{ context: TraceContext }>('SELECT context FROM queue.outbox');
    expect(rows[0]?.context.traceparent).toMatch(/^00-a{32}-[0-9a-f]{16}-00$/);
    await outbox.sweep();
    await spans.stop();
    expect(spans.collector.spans.filter(({ traceId }) => traceId === 'a'.repeat(32))).toEqual([]);
  });
});

describe('spans of the event log', () => {
  async function openEventLog(): Promise<{ events: EventLog; outbox: Outbox; realm: string }> {
    const outbox = await openOutbox();
    const events = new EventLog({ outbox, pool: database.pool, redis: redisUrl, ...outbox.schemaAndKeyPrefix });
    events.start();
    closing.push(() => events.stop());
    return { events, outbox, realm: uniqueName() };
  }

  it('record the check of a poll in a span that ends when the poll begins to wait', async () => {
    const { events, outbox, realm } = await openEventLog();
    const owner = '7';
    const queue = { realm, owner, idleTimeoutSeconds: 600, filter: {}, capabilities: {} };
    const { queueId, lastEventId } = await events.register(queue, async () => null);
    const poll = events.poll({ realm, owner, queueId, lastEventId, block: true }, ({ event }) => [
      event as { type: string },
    ]);
    const { collector } = spans;
    const span = await collector.waitForSpan('poll events');
    expect(span).toMatchObject({
      kind: 'client',
      attributes: { 'switchboard.event_queue.id': queueId, 'switchboard.poll.waits': true },
    });
    await withOutbox(database.pool, outbox, async (tx) =>
      events.write(tx, { realm, audience: { users: [7] }, event: { type: 'order' } }),
    );
    expect(await poll).toMatchObject([{ type: 'order' }]);
    const append = await collector.waitForSpan('dispatch event-log');
    expect(append.attributes).toMatchObject({
      'messaging.batch.message_count': 1,
      'switchboard.event_log.realm': realm,
    });
    expect(collector.spans.filter(({ name }) => name === 'poll events')).toHaveLength(1);
  });

  it('record a poll that returns events immediately as not waiting', async () => {
    const { events, outbox, realm } = await openEventLog();
    const owner = '7';
    const queue = { realm, owner, idleTimeoutSeconds: 600, filter: {}, capabilities: {} };
    const { queueId, lastEventId } = await events.register(queue, async () => null);
    await withOutbox(database.pool, outbox, async (tx) =>
      events.write(tx, { realm, audience: { users: [7] }, event: { type: 'order' } }),
    );
    await until(async () => {
      const polled = await events.poll({ realm, owner, queueId, lastEventId, block: false }, () => [{ type: 'order' }]);
      return polled.length > 0;
    });
    const span = await spans.collector.waitForSpan('poll events');
    expect(span.attributes['switchboard.poll.waits']).toBe(false);
  });
});

describe('Outbox without a tracer provider', () => {
  it("stores the request's own traceparent", async () => {
    await spans.stop();
    const outbox = await openOutbox({ drainAfterCommit: false });
    await addRows(outbox, 1);
    const { rows } = await database.pool.query<{ context: TraceContext }>('SELECT context FROM queue.outbox');
    expect(rows.map(({ context }) => context)).toEqual([request]);
  });
});
