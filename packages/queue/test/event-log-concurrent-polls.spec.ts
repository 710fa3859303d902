import { Redis } from 'ioredis';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { BadEventQueueError, EventPrunedError, type EventQueueRecord, type LogEntryRenderer } from '../src/index.js';
import { EventQueueCache } from '../src/event-log/event-queue-cache.js';
import { plain, range, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { PrivateRedis, uniqueName, until } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let redis: PrivateRedis;
let realm: string;
let process: TestProcess;

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
  redis = await PrivateRedis.start();
});
beforeEach(async () => {
  realm = uniqueName();
  process = new TestProcess(pool, uniqueName(), { redis: redis.url });
  await process.log.waitUntilStoreResponds();
});
afterEach(() => stopAll());
afterAll(async () => {
  await redis.kill();
  await drop();
});

/** Returns the number of scripts that the Redis server has run. */
async function scriptsRun(): Promise<number> {
  const client = new Redis(redis.url);
  const stats = await client.info('commandstats');
  client.disconnect();
  return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

const waitForPendingPolls = (count: number): Promise<void> => until(() => process.log.metrics().waiters === count);

it('EventLog.poll runs few Redis scripts for two hundred concurrent polls', async () => {
  const clients = await Promise.all(range(0, 200).map((n) => TestClient.register(process, realm, String(n))));
  for (const round of [1, 2]) {
    const before = await scriptsRun();
    const polls = clients.map((client) => client.poll(process, true));
    await waitForPendingPolls(200);
    expect(await scriptsRun()).toBeLessThan(before + 15);
    await process.change(realm, round);
    await Promise.all(polls);
    for (const { things } of clients) expect(things).toEqual(range(1, round + 1));
  }
});

it('EventLog.poll returns to each of several concurrent polls only the events of its own queue', async () => {
  const [good, pruned, other] = await Promise.all(['1', '2', '3'].map((n) => TestClient.register(process, realm, n)));
  for (const n of [1, 2]) await process.change(realm, n);
  await pruned!.collect(process, 2);
  await pruned!.poll(process);
  const poll = (owner: string, queueId: string) =>
    process.log.poll({ realm, owner, queueId, lastEventId: -1, block: false }, plain);
  const responses = await Promise.allSettled([
    poll('1', 'no-such-queue'),
    poll('1', good!.queueId),
    poll('1', other!.queueId),
    poll('2', pruned!.queueId),
    poll('3', other!.queueId),
  ]);
  const told = responses.map((response) =>
    response.status === 'fulfilled' ? response.value.map(({ n }) => n) : response.reason.constructor,
  );
  expect(told).toEqual([BadEventQueueError, [1, 2], BadEventQueueError, EventPrunedError, [1, 2]]);
});

it('EventLog.poll accepts any text as owner and queue id', async () => {
  const odd = 'a "quoted" \\ é\u0000\ud800';
  const [good, owned] = await Promise.all(['1', odd].map((owner) => TestClient.register(process, realm, owner)));
  await process.change(realm, 1);
  const poll = (owner: string, queueId: string) =>
    process.log.poll({ realm, owner, queueId, lastEventId: -1, block: false }, plain);
  const refused = [poll('1', odd), poll('\udfff', good!.queueId)].map((response) =>
    response.catch((error: unknown) => error),
  );
  const responded = [poll('1', good!.queueId), poll(odd, owned!.queueId)];
  for (const events of await Promise.all(responded)) expect(events).toMatchObject([{ n: 1 }]);
  for (const error of await Promise.all(refused)) expect(error).toBeInstanceOf(BadEventQueueError);
});

it('EventLog.poll ends the first of two concurrent polls of the same queue', async () => {
  const client = await TestClient.register(process, realm);
  const { owner, queueId } = client;
  const poll = () => process.log.poll({ realm, owner, queueId, lastEventId: -1, block: true }, plain);
  const [first, second] = [poll(), poll()];
  expect(await first).toEqual([]);
  await waitForPendingPolls(1);
  await process.change(realm, 1);
  expect(await second).toMatchObject([{ n: 1 }]);
});

it('EventLog.poll returns no events of another realm to concurrent polls', async () => {
  const elsewhere = uniqueName();
  const clients = [await TestClient.register(process, realm), await TestClient.register(process, elsewhere)];
  await process.change(realm, 1);
  await process.change(elsewhere, 2);
  await until(async () => {
    await Promise.all(clients.map((client) => client.poll(process)));
    return clients.every(({ things }) => things.length > 0);
  });
  expect(clients.map(({ things }) => things)).toEqual([[1], [2]]);
});

it('cache of event queues returns the properties with which a queue was registered', async () => {
  const seen: EventQueueRecord[] = [];
  const noting: LogEntryRenderer = (entry, queue) => {
    seen.push(queue);
    return [entry.event];
  };
  const queue = { realm, owner: '7', filter: { types: ['thing'] }, capabilities: { quick: true }, roles: ['reader'] };
  const { queueId } = await process.log.register({ ...queue, idleTimeoutSeconds: 600 }, async () => null);
  let lastEventId = -1;
  for (const n of [1, 2]) {
    await process.change(realm, n);
    await until(async () => {
      const request = { realm, owner: '7', queueId, lastEventId, block: false };
      const events = await process.log.poll(request, noting);
      lastEventId = events.at(-1)?.id ?? lastEventId;
      return events.length > 0;
    });
  }
  expect(seen).toHaveLength(2);
  for (const record of seen) expect(record).toMatchObject({ ...queue, id: queueId, user: 7 });
});

it('cache of event queues does not accept a queue that another process has removed', async () => {
  const client = await TestClient.register(process, realm);
  await client.poll(process);
  const other = new TestProcess(pool, process.prefix, { redis: redis.url });
  await other.log.waitUntilStoreResponds();
  await other.log.remove({ realm, queueId: client.queueId, owner: client.owner });
  await expect(client.poll(process)).rejects.toThrow(BadEventQueueError);
});

it('cache of event queues evicts the oldest queues when twenty thousand queues are cached', () => {
  const known = new EventQueueCache();
  const stored = { epoch: 1, start: 0, skip: '', roles: '', filter: '{}', capabilities: '{}' };
  const queue = (n: number) => ({ realm: 'r', queueId: `q${n}`, owner: '1' });
  for (const n of range(0, 20_001)) known.cacheQueue(queue(n), stored);
  expect(known.findCachedQueue('r', 'q0')).toBeUndefined();
  expect(known.findCachedQueue('r', 'q1')?.record).toMatchObject({ id: 'q1', owner: '1', user: 1, roles: [] });
  expect(known.findCachedQueue('other realm', 'q1')).toBeUndefined();
});
