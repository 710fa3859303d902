import { Redis } from 'ioredis';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BadEventQueueError, processClock } from '../src/index.js';
import { range, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { redisUrl, uniqueName, until } from './queue-test-support.js';
import { closeStoredLogs, itOnRedis, openStoredLog, type StoredLog } from './stored-log.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let openLog: (prefix: string, realm: string) => StoredLog;
let prefix: string;
let realm: string;

const stored = (): StoredLog => openLog(prefix, realm);

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
  openLog = openStoredLog(pool);
});
beforeEach(() => {
  prefix = uniqueName();
  realm = uniqueName();
});
afterEach(() => stopAll());
afterAll(async () => {
  closeStoredLogs();
  await drop();
});

async function startProcess(options: ConstructorParameters<typeof TestProcess>[2] = {}): Promise<TestProcess> {
  const process = new TestProcess(pool, prefix, options);
  await process.log.waitUntilStoreResponds();
  return process;
}

describe('EventLog.poll', () => {
  it('delivers entries to users with text ids, whether or not their polls are pending', async () => {
    const [writer, reader] = [await startProcess(), await startProcess()];
    const [ann, ben] = ['0193b1c2-7d3e-7a8b-9c0d-1e2f3a4b5c6d', 'ben@shop.test'];
    const first = await TestClient.register(reader, realm, ann);
    const second = await TestClient.register(reader, realm, ben);
    const waiting = first.poll(reader, true);
    await until(() => reader.log.metrics().waiters === 1);
    await writer.change(realm, 1, { users: [ann, 3] });
    expect(await waiting).toMatchObject([{ n: 1 }]);
    await writer.change(realm, 2, { users: [ben] });
    await writer.change(realm, 3, { users: [ann, ben] });
    expect(await second.collect(reader, 2)).toEqual([2, 3]);
    expect(await first.collect(reader, 2)).toEqual([1, 3]);
    // A process that has just started reads the queue from the store.
    const later = await startProcess();
    await writer.change(realm, 4, { users: [ann] });
    expect(await first.collect(later, 3)).toEqual([1, 3, 4]);
  });
});

describe('EventLog.removeOwned', () => {
  itOnRedis('removes all queues of an owner, including queues that an earlier version registered', async () => {
    const [redis, root] = [new Redis(redisUrl), `{${prefix}:${realm}}`];
    const young = await startProcess();
    const [mine, others] = [await TestClient.register(young, realm, '1'), await TestClient.register(young, realm, '2')];
    const owners = () => redis.zrange(`${root}:owners`, '0', '-1');
    expect((await owners()).toSorted()).toEqual([mine.queueId, others.queueId].toSorted());
    await redis.del(`${root}:owners`);
    expect(await young.log.removeOwned(realm, ['1'])).toBe(1);
    expect(await owners()).toEqual([others.queueId]);
    // State left by a process of an earlier version: an entry without a queue, and a queue without an entry.
    await redis.zadd(`${root}:owners`, 'GT', '1', 'gone');
    await redis.zrem(`${root}:owners`, others.queueId);
    expect(await young.log.removeOwned(realm, ['2'])).toBe(1);
    expect(await owners()).toEqual([]);
    redis.disconnect();
  });

  it('removes queues of more owners than the store processes in one step', async () => {
    const process = await startProcess();
    const removed = [await TestClient.register(process, realm, '1'), await TestClient.register(process, realm, '1400')];
    const other = await TestClient.register(process, realm, '1501');
    expect(await process.log.removeOwned(realm, range(1, 1501).map(String))).toBe(removed.length);
    expect(await stored().listQueues()).toEqual([other.queueId]);
    expect(await process.log.removeOwned(realm, [])).toBe(0);
  });

  itOnRedis('uses only the index by owner after processes of earlier versions have ended', async () => {
    let isLater = false;
    const clock = { ...processClock, now: () => Date.now() + (isLater ? 600_000 : 0) };
    const process = await startProcess({ clock });
    const client = await TestClient.register(process, realm, '1');
    isLater = true;
    // The queue's index entry names another owner, so the queue is missed only if the index is used.
    const redis = new Redis(redisUrl);
    await redis.zadd(`{${prefix}:${realm}}:owners`, '7', client.queueId);
    redis.disconnect();
    expect(await process.log.removeOwned(realm, ['1'])).toBe(0);
    await process.log.sweep();
    expect(await stored().findQueue(client.queueId)).not.toBeNull();
  });
});

describe('logCapBytes', () => {
  it('limits the log to the newest entries, and rejects a queue that needs older entries', async () => {
    const process = await startProcess({ logCapBytes: 10_000 });
    const slow = await TestClient.register(process, realm);
    for (const n of range(0, 400)) await process.change(realm, n);
    await until(async () => (await stored().last()) === 400);
    await process.log.sweep();
    const entries = await stored().entries();
    expect(entries.length).toBeLessThan(200);
    expect(entries.at(-1)?.unit).toBe(400);
    expect(await stored().floor()).toBe(entries[0]?.previous);
    await expect(slow.poll(await startProcess())).rejects.toThrow(BadEventQueueError);
  });
});
