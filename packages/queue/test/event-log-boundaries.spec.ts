import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BadEventQueueError, QueueUsageError, withOutbox } from '../src/index.js';
import { readThings, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { uniqueName, until } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
});
afterEach(() => stopAll());
afterAll(() => drop());

describe('event with the reserved field `id`', () => {
  it('makes EventLog.write throw a QueueUsageError', async () => {
    const process = new TestProcess(pool, uniqueName());
    const failed = withOutbox(pool, process.outbox, async (tx) =>
      process.log.write(tx, { realm: 'realm', audience: { all: true }, event: { type: 'thing', id: 7 } }),
    );
    await expect(failed).rejects.toThrow(QueueUsageError);
  });

  it('makes polls of the queue fail when a renderer returns the event', async () => {
    const process = new TestProcess(pool, uniqueName());
    const realm = uniqueName();
    const { queueId } = await TestClient.register(process, realm);
    await process.change(realm, 1);
    const request = { realm, owner: '1', queueId, lastEventId: -1, block: true };
    const polled = process.log.poll(request, (entry) => [{ ...entry.event, id: 7 }]);
    await expect(polled).rejects.toThrow(BadEventQueueError);
  });
});

describe('EventLog in a new process', () => {
  it('registers, polls and removes a queue before its first connection to Redis is used', async () => {
    const process = new TestProcess(pool, uniqueName());
    const realm = uniqueName();
    const options = { realm, owner: '1', idleTimeoutSeconds: 600, filter: {}, capabilities: {} };
    const { queueId, snapshot } = await process.log.register(options, readThings(realm));
    expect(snapshot).toEqual([]);
    const [poller, remover] = [new TestProcess(pool, process.prefix), new TestProcess(pool, process.prefix)];
    const request = { realm, owner: '1', queueId, lastEventId: -1, block: false };
    expect(await poller.log.poll(request, () => [])).toEqual([]);
    await remover.log.remove(request);
    await until(async () => (await remover.log.removeOwned(realm, ['1'])) === 0);
  });
});
