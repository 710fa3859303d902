import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BadEventQueueError, type ClientEvent, EventAheadError, EventPrunedError } from '../src/index.js';
import { plain, range, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { sleep, uniqueName, until } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
});
afterEach(() => stopAll());
afterAll(() => drop());

async function startProcess(options: ConstructorParameters<typeof TestProcess>[2] = {}, prefix = uniqueName()) {
  const process = new TestProcess(pool, prefix, options);
  await process.log.waitUntilStoreResponds();
  return process;
}

/** An event stream that records its callbacks, and resumes only at the request of the test. */
class RecordedStream {
  readonly deliveries: ClientEvent[][] = [];
  waits = 0;
  end: unknown = undefined;
  resume: () => void = () => {};
  readonly closing = new AbortController();

  constructor(process: TestProcess, client: TestClient, { lastEventId = -1, resumes = true } = {}) {
    const { realm, owner, queueId } = client;
    process.log.stream({ realm, owner, queueId, lastEventId, signal: this.closing.signal }, plain, {
      onWaiting: () => (this.waits += 1),
      onEvents: (events, resume) => {
        this.deliveries.push(events);
        this.resume = resume;
        if (resumes) resume();
      },
      onEnded: () => (this.end = 'ended'),
      onFailed: (error) => (this.end = error),
    });
  }

  get numbers(): unknown[] {
    return this.deliveries.flat().map(({ n }) => n);
  }
}

describe('EventLog.stream', () => {
  it('delivers events with the same ids as a poll, without acknowledging events', async () => {
    const process = await startProcess();
    const realm = uniqueName();
    const client = await TestClient.register(process, realm);
    await process.change(realm, 1);
    const stream = new RecordedStream(process, client);
    await until(() => stream.waits > 0);
    for (const n of [2, 3]) await process.change(realm, n);
    await until(() => stream.numbers.length === 3);
    expect(stream.numbers).toEqual([1, 2, 3]);
    expect(process.log.metrics().streams).toBe(1);
    stream.closing.abort();
    await until(() => stream.end !== undefined);
    expect([stream.end, process.log.metrics().streams]).toEqual(['ended', 0]);
    expect(await client.poll(process)).toEqual(stream.deliveries.flat());
  });

  it('reads further events only after resume, about a hundred at a time at most', async () => {
    const process = await startProcess({ tailBytes: 5_000, queueCap: 50 });
    const realm = uniqueName();
    const client = await TestClient.register(process, realm);
    await process.commit(async (tx) => {
      for (const n of range(0, 250)) {
        process.log.write(tx, { realm, audience: { all: true }, event: { type: 'thing', n } });
      }
    });
    await process.log.sweep();
    const stream = new RecordedStream(process, client, { resumes: false });
    await until(() => stream.deliveries.length === 1);
    await process.change(realm, 250);
    await process.log.sweep();
    expect(stream.deliveries).toHaveLength(1);
    for (const count of [2, 3]) {
      stream.resume();
      stream.resume();
      await until(() => stream.deliveries.length === count);
    }
    expect(Math.max(...stream.deliveries.map(({ length }) => length))).toBeLessThanOrEqual(101);
    expect(stream.numbers).toEqual(range(0, 251));
  });

  it('acknowledges only events up to the event id in its request', async () => {
    const process = await startProcess();
    const realm = uniqueName();
    const client = await TestClient.register(process, realm);
    for (const n of [1, 2]) await process.change(realm, n);
    const [first] = await client.poll(process);
    const stream = new RecordedStream(process, client, { lastEventId: first!.id });
    await until(() => stream.numbers.length === 1);
    expect(stream.numbers).toEqual([2]);
    const older = new RecordedStream(process, client);
    await until(() => older.end !== undefined);
    expect(older.end).toBeInstanceOf(EventPrunedError);
    expect(stream.end).toBeUndefined();
  });

  it('sends heartbeats after its last event, even when all ids of one log position are used', async () => {
    const process = await startProcess({ heartbeatMs: 10 });
    const realm = uniqueName();
    const client = await TestClient.register(process, realm);
    const stream = new RecordedStream(process, client);
    await until(() => stream.deliveries.length > 110, 20_000);
    const ids = stream.deliveries.flat().map(({ id }) => id);
    expect(ids.slice(0, 99)).toEqual(range(1, 100));
    expect(ids.at(-1)).toBeGreaterThan(100);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(stream.end).toBeUndefined();
  });

  it.each(['poll', 'stream'] as const)('ends when a %s of any process takes over its queue', async (kind) => {
    const prefix = uniqueName();
    const [process, other] = [await startProcess({}, prefix), await startProcess({}, prefix)];
    const client = await TestClient.register(process, uniqueName());
    for (const taking of [process, other]) {
      const stream = new RecordedStream(process, client);
      await until(() => stream.waits > 0);
      if (kind === 'poll') await client.poll(taking);
      else new RecordedStream(taking, client);
      await until(() => stream.end !== undefined);
      expect(stream.end).toBe('ended');
    }
  });

  it('does not resume when another client took over the queue during a pause', async () => {
    const prefix = uniqueName();
    const [process, other] = [await startProcess({}, prefix), await startProcess({}, prefix)];
    const realm = uniqueName();
    const client = await TestClient.register(process, realm);
    await process.change(realm, 1);
    const paused = new RecordedStream(process, client, { resumes: false });
    await until(() => paused.deliveries.length === 1);
    const next = new RecordedStream(other, client);
    await until(() => next.numbers.length === 1);
    paused.resume();
    await until(() => paused.end !== undefined);
    await process.change(realm, 2);
    await until(() => next.numbers.length === 2);
    expect([paused.numbers, next.numbers, paused.end, next.end]).toEqual([[1], [1, 2], 'ended', undefined]);
  });

  it('fails with BadEventQueueError when its queue is removed, even while the stream is paused', async () => {
    const prefix = uniqueName();
    const [process, other] = [await startProcess({}, prefix), await startProcess({}, prefix)];
    const realm = uniqueName();
    for (const resumes of [true, false]) {
      const client = await TestClient.register(process, realm);
      await process.change(realm, 1);
      const stream = new RecordedStream(process, client, { resumes });
      await until(() => stream.deliveries.length === 1);
      await other.log.remove({ realm, queueId: client.queueId, owner: client.owner });
      await until(() => stream.end !== undefined);
      expect(stream.end).toBeInstanceOf(BadEventQueueError);
    }
    expect(process.log.metrics().streams).toBe(0);
  });

  it('extends the life of its queue while its client reads slowly', async () => {
    const process = await startProcess({ heartbeatMs: 400 });
    const realm = uniqueName();
    const client = await TestClient.register(process, realm, '1', { idleTimeoutSeconds: 1 });
    await process.change(realm, 1);
    const stream = new RecordedStream(process, client, { resumes: false });
    await until(() => stream.deliveries.length === 1);
    const delivered = Date.now();
    // Without the checks of a paused stream, the queue expires 1.4 s after the delivery.
    while (Date.now() - delivered < 3_000) {
      await process.log.sweep();
      await sleep(100);
    }
    expect(stream.end).toBeUndefined();
    await process.change(realm, 2);
    stream.resume();
    await until(() => stream.numbers.includes(2));
    expect(stream.end).toBeUndefined();
  });

  it('rejects the same requests as a poll, before the stream opens', async () => {
    const process = await startProcess();
    const client = await TestClient.register(process, uniqueName());
    const unknown = new RecordedStream(process, { ...client, queueId: 'none' } as TestClient);
    const ahead = new RecordedStream(process, client, { lastEventId: 1_000_000 });
    const invalid = new RecordedStream(process, client, { lastEventId: 1.5 });
    await until(() => [unknown, ahead, invalid].every(({ end }) => end !== undefined));
    expect(unknown.end).toBeInstanceOf(BadEventQueueError);
    expect(ahead.end).toBeInstanceOf(EventAheadError);
    expect(invalid.end).toBeInstanceOf(EventAheadError);
    expect([unknown, ahead, invalid].map(({ waits }) => waits)).toEqual([0, 0, 0]);
  });

  it('ends when its process stops, whether waiting or paused', async () => {
    const process = await startProcess();
    const realm = uniqueName();
    const waiting = new RecordedStream(process, await TestClient.register(process, realm, '1'));
    await until(() => waiting.waits > 0);
    await process.change(realm, 1, { users: [2] });
    const other = await TestClient.register(process, realm, '2');
    await process.change(realm, 2, { users: [2] });
    const paused = new RecordedStream(process, other, { resumes: false });
    await until(() => paused.deliveries.length === 1);
    process.log.endPolls();
    await until(() => waiting.end !== undefined && paused.end !== undefined);
    expect([waiting.end, paused.end, process.log.metrics().streams]).toEqual(['ended', 'ended', 0]);
  });
});
