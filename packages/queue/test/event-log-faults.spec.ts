import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BadEventQueueError, createNewLogEpochsSql, EventLogUnavailableError } from '../src/index.js';
import { range, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { PrivateRedis, redisUrl, uniqueName, until } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let redis: Redis;
let prefix: string;
let realm: string;
const children: ChildProcess[] = [];

const root = (): string => `{${prefix}:${realm}}`;
const meta = async (): Promise<{ epoch: number; last: number; floor: number }> => {
  const fields = await redis.hgetall(`${root()}:meta`);
  return { epoch: Number(fields.epoch), last: Number(fields.last), floor: Number(fields.floor) };
};
const rowsByUnit = async (): Promise<[number, string][]> =>
  (await redis.xrange(`${root()}:log`, '-', '+')).map(([id, fields]) => [Number.parseInt(id, 10), fields[1]!]);

/**
 * Changes the event log in Redis to the state after a restart in which Redis lost the entries after log position
 * `unit`.
 */
async function loseAfter(unit: number): Promise<void> {
  const kept = await redis.xrange(`${root()}:log`, '-', `${unit}-0`);
  await redis.del(`${root()}:log`);
  for (const [id, fields] of kept) await redis.xadd(`${root()}:log`, id, ...fields);
  await redis.hset(`${root()}:meta`, 'last', unit);
}

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
  redis = new Redis(redisUrl);
});
beforeEach(async () => {
  await pool.query('TRUNCATE queue.outbox, queue.event_log');
  prefix = uniqueName();
  realm = uniqueName();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  return stopAll();
});
afterAll(async () => {
  redis.disconnect();
  await drop();
});

async function startProcess(options: ConstructorParameters<typeof TestProcess>[2] = {}): Promise<TestProcess> {
  const process = new TestProcess(pool, prefix, options);
  await process.log.waitUntilStoreResponds();
  return process;
}

/**
 * Starts a process that commits and numbers the first event of the realm, and then pauses before the append to Redis.
 */
function startPausedDispatcher(): { child: ChildProcess; said: () => string } {
  const script = join(import.meta.dirname, 'fixture/paused-dispatcher.mjs');
  const args = [script, redisUrl, prefix, pool.options.connectionString ?? '', realm];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { child, said: () => said };
}

/** Registers a client that has read three of the six entries of the realm's log. */
async function halfRead(a: TestProcess): Promise<TestClient> {
  const client = await TestClient.register(a, realm);
  for (const n of range(1, 4)) await a.change(realm, n);
  await client.collect(a, 3);
  for (const n of range(4, 7)) await a.change(realm, n);
  await until(async () => (await meta()).last === 6);
  return client;
}

describe('EventLog after Redis lost its last entries', () => {
  it('stores the lost entries again with the same numbers (I1, I10)', async () => {
    const [a, cold] = [await startProcess(), await startProcess()];
    const client = await halfRead(a);
    const before = await rowsByUnit();
    await loseAfter(1);
    await cold.log.sweep();
    const { floor } = await meta();
    expect(await rowsByUnit()).toEqual(before.filter(([unit]) => unit > floor));
    expect(await client.collect(cold, 6)).toEqual(range(1, 7));
  });

  it('restores the lost entries before another process appends', async () => {
    const [a, b] = [await startProcess(), await startProcess()];
    const client = await halfRead(a);
    await loseAfter(4);
    await b.change(realm, 7);
    expect(await client.collect(b, 7)).toEqual(range(1, 8));
    expect((await rowsByUnit()).map(([unit]) => unit)).toEqual(range(1, 8));
  });

  it('assigns the same numbers when a dispatcher continues that was paused during the loss', async () => {
    const [a, b] = [await startProcess(), await startProcess()];
    const client = await TestClient.register(a, realm);
    await a.change(realm, 1, { all: true }, true);
    // The paused dispatcher has read row 1 with number 1. Another one appended it and a second row. Redis lost both.
    const assigned = await pool.query<{ id: string }>("SELECT * FROM queue.assign('event-log', $1, 9, NULL)", [realm]);
    await b.change(realm, 2);
    await until(async () => (await meta()).last === 2);
    await loseAfter(0);
    await a.log.sweep();
    expect((await rowsByUnit())[0]).toEqual([1, assigned.rows[0]?.id]);
    expect(await client.collect(a, 2)).toEqual([1, 2]);
  });

  it.each([
    ['is still missing', async () => {}],
    ['has been put back by another', (other: TestProcess) => other.log.sweep()],
  ])(
    'appends no duplicate entry when a dispatcher continues after a pause during the loss of %s',
    async (_, meanwhile) => {
      const other = await startProcess();
      const client = await TestClient.register(other, realm);
      const paused = startPausedDispatcher();
      await until(() => paused.said().includes('paused'));
      await other.change(realm, 2);
      await until(async () => (await meta()).last === 2);
      const before = await rowsByUnit();
      await loseAfter(0);
      await meanwhile(other);
      paused.child.kill('SIGCONT');
      await until(() => paused.said().includes('appended'));
      await other.change(realm, 3);
      expect(await client.collect(other, 3)).toEqual([1, 2, 3]);
      expect((await rowsByUnit()).slice(0, 2)).toEqual(before);
      expect(client.received.map(({ id }) => id)).toEqual([100, 200, 300]);
    },
  );

  it('delivers entries from the memory of a process when Redis has lost the entries', async () => {
    const process = await startProcess();
    const client = await halfRead(process);
    await client.collect(process, 6);
    await loseAfter(2);
    const held = client.poll(process, true);
    await until(async () => (await meta()).last === 6);
    await process.change(realm, 7);
    expect(await held).toMatchObject([{ n: 7, id: 700 }]);
  });

  it('delivers no newer entry to a poll before the lost entries', async () => {
    const process = await startProcess();
    const client = await halfRead(process);
    const cold = await startProcess();
    // The tail of this process begins after entries that the client has not received yet.
    const ahead = await TestClient.register(cold, realm);
    await ahead.poll(cold);
    await loseAfter(3);
    const held = client.poll(cold, true);
    await until(() => cold.log.metrics().waiters === 1);
    await cold.change(realm, 7);
    await held;
    expect(await client.collect(cold, 7)).toEqual(range(1, 8));
  });

  it('ends the poll without a heartbeat while the process has not read all entries in Redis', async () => {
    const process = await startProcess({ heartbeatMs: 400 });
    const client = await halfRead(process);
    await client.collect(process, 6);
    const held = client.poll(process, true);
    await until(() => process.log.metrics().waiters === 1);
    // The process is not notified; it finds out when it reads for its heartbeat.
    await redis.hset(`${root()}:meta`, { last: 9, floor: 9 });
    await expect(held).rejects.toThrow(BadEventQueueError);
  });

  it('rejects queues that need lost entries whose rows were already deleted', async () => {
    const [a, cold] = [await startProcess(), await startProcess()];
    const behind = await halfRead(a);
    const ahead = await TestClient.register(a, realm);
    await pool.query('DELETE FROM queue.outbox');
    await loseAfter(4);
    await cold.log.sweep();
    expect(await meta()).toMatchObject({ last: 6, floor: 6, epoch: 1 });
    await a.change(realm, 7);
    expect(await ahead.collect(cold, 7)).toEqual(range(1, 8));
    await expect(behind.poll(cold)).rejects.toThrow(BadEventQueueError);
    const again = await TestClient.register(cold, realm);
    expect(again.things).toEqual(range(1, 8));
  });
});

describe('EventLog after Redis lost everything', () => {
  it('rejects old queues with BAD_EVENT_QUEUE_ID, and delivers every event after clients register again', async () => {
    const [a, b] = [await startProcess(), await startProcess()];
    const client = await halfRead(a);
    const keys = await redis.keys(`${root()}*`);
    await redis.del(...keys);
    await expect(client.poll(b)).rejects.toThrow(BadEventQueueError);
    const again = await TestClient.register(b, realm);
    await a.change(realm, 7);
    await b.change(realm, 8);
    expect(await again.collect(a, 8)).toEqual(range(1, 9));
    expect((await meta()).last).toBe(8);
  });

  it('delivers events to a queue that is registered before the log is restored', async () => {
    const [a, b] = [await startProcess(), await startProcess()];
    await halfRead(a);
    await redis.del(...(await redis.keys(`${root()}*`)));
    const client = await TestClient.register(b, realm);
    const held = client.poll(b, true);
    await until(async () => (await meta()).last === 6);
    await a.change(realm, 7);
    expect(await held).toMatchObject([{ n: 7, id: 100 }]);
  });
});

describe('EventLog after PostgreSQL lost commits', () => {
  it('starts a new epoch, rejects old queues, and accepts clients that register again', async () => {
    const [a, b] = [await startProcess(), await startProcess()];
    const client = await halfRead(a);
    await pool.query('DELETE FROM queue.outbox WHERE seq > 4');
    await pool.query('UPDATE queue.event_log SET position = 4');
    await pool.query('DELETE FROM things WHERE realm = $1 AND n > 4', [realm]);
    await b.log.sweep();
    expect(await meta()).toEqual({ epoch: 2, last: 7, floor: 7 });
    await expect(client.poll(a)).rejects.toThrow(BadEventQueueError);
    const again = await TestClient.register(a, realm);
    expect(again.things).toEqual(range(1, 5));
    await b.change(realm, 50);
    await a.change(realm, 51);
    expect(await again.collect(a, 6)).toEqual([1, 2, 3, 4, 50, 51]);
  });

  it('throws DIVERGED when an event number now belongs to another row', async () => {
    const [a, b] = [await startProcess(), await startProcess()];
    await halfRead(a);
    await pool.query('DELETE FROM queue.outbox WHERE seq > 4');
    await pool.query('UPDATE queue.event_log SET position = 4');
    for (const n of range(10, 12)) await b.change(realm, n, { all: true }, true);
    await b.log.sweep();
    await until(async () => (await meta()).epoch === 2);
    const again = await TestClient.register(a, realm);
    await a.change(realm, 12);
    expect((await again.collect(b, 9)).at(-1)).toBe(12);
  });

  it('rejects old queues after a restore, although as many events as were lost have been added', async () => {
    const former = await startProcess();
    const client = await halfRead(former);
    await stopAll();
    const { last } = await meta();
    await pool.query('DELETE FROM queue.outbox');
    await pool.query('DELETE FROM things WHERE realm = $1 AND n > 4', [realm]);
    await pool.query('UPDATE queue.event_log SET position = 4');
    await pool.query(createNewLogEpochsSql());
    // Ids are assigned again, as by a restored sequence.
    await pool.query('ALTER TABLE queue.outbox ALTER id RESTART WITH 5');
    const process = await startProcess();
    for (const n of range(5, last + 1)) await process.change(realm, n);
    await until(async () => (await meta()).epoch > 1_000_000_000);
    await expect(client.poll(process)).rejects.toThrow(BadEventQueueError);
    const again = await TestClient.register(process, realm);
    await process.change(realm, 70);
    expect(await again.collect(process, last + 1)).toEqual([...range(1, last + 1), 70]);
    expect((await meta()).last).toBeGreaterThan(1_000_000);
  });

  it('makes a dispatcher of an older epoch start again after the error STALE', async () => {
    const process = await startProcess();
    const client = await halfRead(process);
    await pool.query('UPDATE queue.event_log SET epoch = 3, position = 20');
    await process.change(realm, 7);
    await until(async () => (await meta()).epoch === 3);
    await expect(client.poll(process)).rejects.toThrow(BadEventQueueError);
    await redis.hset(`${root()}:meta`, 'epoch', 9);
    await process.change(realm, 8);
    await until(async () => (await meta()).epoch === 10);
    const again = await TestClient.register(process, realm);
    await process.change(realm, 9);
    await again.collect(process, 9);
    expect(again.things.at(-1)).toBe(9);
  });
});

describe('EventLog without Redis', () => {
  it('accepts writes, rejects polls, and delivers everything afterwards', async () => {
    const own = await PrivateRedis.start();
    try {
      const process = await startProcess({ redis: own.url, sweepMs: 100 });
      process.log.start();
      const client = await TestClient.register(process, realm);
      await process.change(realm, 1);
      await client.collect(process, 1);
      await own.kill();
      const began = Date.now();
      for (const n of range(2, 6)) await process.change(realm, n);
      expect(Date.now() - began).toBeLessThan(4_000);
      await expect(client.poll(process)).rejects.toThrow(EventLogUnavailableError);
      await own.up();
      // Redis restarted without data: the queue is lost, and no committed event is.
      await process.log.waitUntilStoreResponds();
      await expect(client.poll(process)).rejects.toThrow(BadEventQueueError);
      const again = await TestClient.register(process, realm);
      await process.change(realm, 6);
      expect(await again.collect(process, 6)).toEqual(range(1, 7));
    } finally {
      await stopAll();
      await own.stop();
    }
  });
});
