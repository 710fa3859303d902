import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { redisUrl, uniqueName, until } from './queue-test-support.js';

let database: Awaited<ReturnType<typeof thingsPool>>;
beforeAll(async () => {
  database = await thingsPool();
});
afterEach(() => stopAll());
afterAll(() => database.drop());

describe('EventLog.listRealms', () => {
  it('lists positions, event queues and lag of realms in pages', async () => {
    const prefix = uniqueName();
    const process = new TestProcess(database.pool, prefix);
    const realms = ['north', 'south', 'west'];
    for (const realm of realms) await process.change(realm, 1);
    await process.change('south', 2);
    await TestClient.register(process, 'south');
    await until(async () => (await process.log.listRealms()).every(({ lag }) => lag === 0));
    const north = { realm: 'north', position: 1, storedPosition: 1, lag: 0, queues: 0 };
    const south = { realm: 'south', position: 2, storedPosition: 2, lag: 0, queues: 1 };
    expect(await process.log.listRealms({ limit: 2 })).toEqual([north, south]);
    expect(await process.log.listRealms({ after: 'south' })).toEqual([{ ...north, realm: 'west' }]);
    expect(await process.log.listRealms({ after: 'west' })).toEqual([]);

    const redis = new Redis(redisUrl);
    const keys = await redis.keys(`*${prefix}*`);
    await redis.unlink(...keys);
    redis.disconnect();
    expect(await process.log.listRealms({ after: 'north', limit: 1 })).toEqual([
      { realm: 'south', position: 2, storedPosition: 0, lag: 2, queues: 0 },
    ]);
  });
});
