import { setImmediate as turn } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { plain, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { PrivateRedis, redisUrl, uniqueName, until } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let redis: Redis;
let prefix: string;
let realm: string;

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
  redis = new Redis(redisUrl);
});
beforeEach(() => {
  prefix = uniqueName();
  realm = uniqueName();
});
afterEach(() => stopAll());
afterAll(async () => {
  redis.disconnect();
  await drop();
});

const meta = (): string => `{${prefix}:${realm}}:meta`;
const log = (): string => `{${prefix}:${realm}}:log`;
const last = async (): Promise<number> => Number(await redis.hget(meta(), 'last'));

const isHeld = ({ log }: TestProcess): Promise<void> => until(() => log.metrics().waiters === 1);

/**
 * Starts a process with a pending poll whose client already has the first event. Records the fault points that the
 * append of log entries reaches, and the result of the poll.
 */
async function holdingProcess(url = redisUrl) {
  const notes: string[] = [];
  const faultPoint = (point: string): void => void notes.push(point);
  const process = new TestProcess(pool, prefix, { faultPoint, redis: url });
  await process.log.waitUntilStoreResponds();
  const client = await TestClient.register(process, realm);
  await process.change(realm, 1);
  await client.collect(process, 1);
  const hold = async (): Promise<void> => {
    const { owner, queueId, lastEventId } = client;
    process.log.pollWithCallbacks({ realm, owner, queueId, lastEventId, block: true }, plain, {
      onEvents: (events) => notes.push(`events ${events.map(({ n }) => String(n)).join(' ')}`),
      onFailed: (error) => notes.push(String(error)),
    });
    await isHeld(process);
  };
  await hold();
  notes.splice(0);
  return { process, client, notes, hold };
}

it('EventLog delivers an event to polls in the writing process before Redis stores the event', async () => {
  const { process, notes } = await holdingProcess();
  await process.change(realm, 3);
  await until(() => notes.includes('event-log.after-c'));
  expect(notes.slice(notes.indexOf('event-log.after-b'))).toEqual([
    'event-log.after-b',
    'events 3',
    'event-log.after-c',
  ]);
});

it('EventLog delivers events of several processes in order, even before Redis stores the events', async () => {
  const { process, notes } = await holdingProcess();
  const other = new TestProcess(pool, prefix);
  const entry = { realm, audience: { all: true as const }, event: { type: 'thing', n: 2 } };
  // Commits an entry with its number, which no process appends.
  await other.commit(async (tx) => other.log.write(tx, entry), { dies: true });
  await process.change(realm, 3);
  await until(() => notes.some((note) => note.startsWith('events')));
  expect(notes.filter((note) => note.startsWith('events'))).toEqual(['events 2 3']);
});

it('EventLog delivers an event exactly once in every process, even if Redis loses the event after the delivery', async () => {
  const [writer, other] = [new TestProcess(pool, prefix), new TestProcess(pool, prefix)];
  await Promise.all([writer.log.waitUntilStoreResponds(), other.log.waitUntilStoreResponds()]);
  const client = await TestClient.register(writer, realm);
  await writer.change(realm, 1);
  await client.collect(writer, 1);
  const poll = client.poll(writer, true);
  await isHeld(writer);
  await writer.change(realm, 3);
  await poll;
  expect(client.things).toEqual([1, 3]);
  // Simulates the death of the process during its append.
  await until(async () => (await last()) === 2);
  const [[id, fields] = ['', []]] = await redis.xrange(log(), '1-0', '1-0');
  await redis.del(log());
  await redis.xadd(log(), id, ...fields);
  await redis.hset(meta(), 'last', '1');
  const next = client.poll(other, true);
  await isHeld(other);
  await other.change(realm, 5);
  await next;
  expect(client.things).toEqual([1, 3, 5]);
  expect(await last()).toBe(3);
});

it('EventLog delivers an event that Redis does not store yet only while Redis is reachable', async () => {
  const server = await PrivateRedis.start();
  try {
    const { process, client, notes, hold } = await holdingProcess(server.url);
    const count = (wanted: string): number => notes.filter((note) => note === wanted).length;
    server.pause();
    await process.change(realm, 3);
    await until(() => notes.includes('events 3'));
    expect(count('event-log.after-c')).toBe(0);
    server.resume();
    await until(async () => (await client.poll(process)).length === 1);

    await hold();
    await server.kill();
    await until(() =>
      process.log.waitUntilStoreResponds(100).then(
        () => false,
        () => true,
      ),
    );
    await process.change(realm, 5);
    // An early event is delivered in the event-loop turn in which its append is sent.
    await until(() => count('event-log.after-b') === 2);
    await turn();
    expect(notes.filter((note) => note.startsWith('events'))).toEqual(['events 3']);
  } finally {
    await server.stop();
  }
});
