import { isLongTestRun } from '@switchboard/testing';
import { Redis } from 'ioredis';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BadEventQueueError } from '../src/index.js';
import { stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { redisUrl, uniqueName, until } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let redis: Redis;

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
  redis = new Redis(redisUrl);
});
afterEach(() => stopAll());
afterAll(async () => {
  redis.disconnect();
  await drop();
});

/**
 * Returns a generator of integers below a bound (mulberry32). A given seed, which the test prints, always gives the
 * same integers.
 */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

type RedisSnapshot = Map<string, Buffer>;

/**
 * Reads all Redis keys of the realm in one step. The result is the state that a restart with an append-only file would
 * restore.
 */
async function save(root: string): Promise<RedisSnapshot> {
  const keys = await redis.keys(`${root}*`);
  const dumps = await redis.multi(keys.map((key) => ['dumpBuffer', key])).exec();
  const saved: RedisSnapshot = new Map();
  for (const [index, key] of keys.entries()) {
    const dump = dumps?.[index]?.[1];
    if (dump instanceof Buffer) saved.set(key, dump);
  }
  return saved;
}

/** Restores an earlier state of Redis in one step, while other clients continue to use it. */
async function fallBack(root: string, saved: RedisSnapshot): Promise<void> {
  const multi = redis.multi();
  for (const key of await redis.keys(`${root}*`)) multi.del(key);
  for (const [key, dump] of saved) multi.restore(key, 0, dump, 'REPLACE');
  await multi.exec();
}

interface Counts {
  registered: number;
  fallBacks: number;
  deltas: number;
}

async function run(seed: number, rowRetentionMs: number): Promise<Counts> {
  const random = randomOf(seed);
  const prefix = uniqueName();
  const realm = uniqueName();
  const root = `{${prefix}:${realm}}`;
  const processes = [0, 1, 2].map(() => new TestProcess(pool, prefix, { rowRetentionMs, tombstoneMs: 600_000 }));
  await Promise.all(processes.map(({ log }) => log.waitUntilStoreResponds()));
  const any = (): TestProcess => processes[random(processes.length)]!;
  const clients = [await TestClient.register(any(), realm), await TestClient.register(any(), realm)];
  const saves: RedisSnapshot[] = [await save(root)];
  const counts: Counts = { registered: 0, fallBacks: 0, deltas: 0 };
  let n = 0;

  const poll = async (index: number, byStream = false): Promise<void> => {
    try {
      await (byStream ? clients[index]!.follow(any()) : clients[index]!.poll(any()));
    } catch (error) {
      if (!(error instanceof BadEventQueueError)) throw error;
      counts.registered += 1;
      clients[index] = await TestClient.register(any(), realm);
    }
  };
  /**
   * Lets a client's event queue expire before the client registers again. In many runs the expired queue is also
   * removed before.
   */
  const replaceQueue = async (index: number): Promise<void> => {
    const client = clients[index]!;
    await redis.zadd(`${root}:due`, 'XX', 1, client.queueId);
    if (random(3) > 0) await any().log.sweep();
    if ((await client.registerAgain(any())) !== null) counts.deltas += 1;
  };
  for (let step = 0; step < 120; step += 1) {
    const dice = random(20);
    if (dice < 8) await any().change(realm, (n += 1), { all: true }, dice < 2);
    else if (dice < 14) await poll(random(clients.length), dice === 13);
    else if (dice < 15) await replaceQueue(random(clients.length));
    else if (dice < 17) await any().log.sweep();
    else if (dice < 19) saves.push(await save(root));
    else {
      counts.fallBacks += 1;
      await fallBack(root, random(6) === 0 ? new Map() : saves[saves.length - 1 - random(Math.min(3, saves.length))]!);
    }
  }
  const fresh = (await pool.query<{ n: number }>('SELECT n FROM things WHERE realm = $1', [realm])).rows;
  const expected = fresh.map((row) => row.n).toSorted((a, b) => a - b);
  for (const index of clients.keys()) {
    await until(async () => {
      await any().log.sweep();
      await poll(index);
      return clients[index]!.things.length >= expected.length;
    });
    // Polls once more, so that an event sent twice would be received now.
    await poll(index);
    expect(clients[index]!.things.toSorted((a, b) => a - b)).toEqual(expected);
  }
  return counts;
}

describe('EventLog under random writes, crashes, polls, streams and Redis rollbacks', () => {
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
  const rounds = isLongTestRun() ? 6 : 2;

  it(`delivers every committed change once, seed ${seed} (I6, I7, I11)`, async () => {
    const total = { fallBacks: 0, deltas: 0 };
    for (let round = 0; round < rounds || total.fallBacks === 0 || total.deltas === 0; round += 1) {
      const counts = await run(seed + round, 60_000);
      total.fallBacks += counts.fallBacks;
      total.deltas += counts.deltas;
    }
  });

  it(`makes clients register again if rows are deleted before Redis is durable, seed ${seed}`, async () => {
    let registered = 0;
    for (let round = 0; round < rounds || registered === 0; round += 1)
      registered += (await run(seed + 1_000 + round, 0)).registered;
  });
});
