import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BadEventQueueError, createCrashListener, type EventLogOptions, type FaultPoint } from '../src/index.js';
import { range, readThings, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { sleep, uniqueName, until } from './queue-test-support.js';
import { closeStoredLogs, openStoredLog, type StoredLog } from './stored-log.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let openLog: (prefix: string, realm: string) => StoredLog;
let prefix: string;
let realm: string;

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
  openLog = openStoredLog(pool);
});
beforeEach(async () => {
  await pool.query('TRUNCATE queue.outbox, queue.event_log');
  prefix = uniqueName();
  realm = uniqueName();
});
afterEach(() => stopAll());
afterAll(async () => {
  closeStoredLogs();
  await drop();
});

const stored = (): StoredLog => openLog(prefix, realm);

async function startProcess(options: Partial<EventLogOptions> = {}): Promise<TestProcess> {
  const process = new TestProcess(pool, prefix, { tombstoneMs: 600_000, ...options });
  await process.log.waitUntilStoreResponds();
  return process;
}

/** Lets an event queue expire, and then removes the expired queue. */
async function collect(process: TestProcess, { queueId }: TestClient): Promise<void> {
  await stored().changeQueue(queueId, { expiresAtMs: 1 });
  await process.log.sweep();
  expect(await stored().listQueues()).not.toContain(queueId);
}

/**
 * Registers a client that receives the first two changes. Two further changes follow, and then the client's queue
 * expires and is removed.
 */
async function clientOfCollectedQueue(process: TestProcess, options = {}): Promise<TestClient> {
  const client = await TestClient.register(process, realm, '7', options);
  for (const n of [1, 2]) await process.change(realm, n);
  await client.collect(process, 2);
  await client.poll(process);
  for (const n of [3, 4]) await process.change(realm, n);
  await process.log.sweep();
  await collect(process, client);
  return client;
}

const numbersOf = (delta: readonly Record<string, unknown>[] | null) => delta?.map(({ n }) => n) ?? null;

describe('EventLog.register with lastKnown', () => {
  it('returns the events that the expired queue would have delivered', async () => {
    const process = await startProcess();
    const client = await clientOfCollectedQueue(process);
    await process.change(realm, 5, { users: [7, 8] });
    await expect(client.poll(process)).rejects.toThrow(BadEventQueueError);
    const delta = await client.registerAgain(process);
    expect(delta).toEqual([3, 4, 5].map((n) => ({ id: n * 100, type: 'thing', n })));
    await process.change(realm, 6);
    expect(await client.collect(process, 6)).toEqual(range(1, 7));
    expect(await client.poll(process)).toEqual([]);
  });

  it('reads the delta in a process that has not served the realm before', async () => {
    const process = await startProcess();
    const client = await clientOfCollectedQueue(process);
    expect(numbersOf(await client.registerAgain(await startProcess()))).toEqual([3, 4]);
  });

  it('returns the same delta again when the client lost the response', async () => {
    const process = await startProcess();
    const client = await clientOfCollectedQueue(process);
    const { queueId, lastEventId } = client;
    const first = await client.registerAgain(process);
    Object.assign(client, { queueId, lastEventId });
    client.things.splice(2);
    expect(await client.registerAgain(process)).toEqual(first);
  });

  it('continues an unexpired queue after any of its event ids', async () => {
    const process = await startProcess();
    const client = await TestClient.register(process, realm, '7');
    for (const n of range(1, 6)) await process.change(realm, n);
    await process.log.sweep();
    client.lastEventId = 200;
    client.things.push(1, 2);
    expect(numbersOf(await client.registerAgain(process))).toEqual([3, 4, 5]);
    expect(await client.registerAgain(process)).toEqual([]);
    await process.change(realm, 6);
    expect(await client.collect(process, 6)).toEqual(range(1, 7));
  });

  it('returns events of rows that the snapshot contains but that have no number yet', async () => {
    const writer = await startProcess();
    let n = 10;
    // A connection for a snapshot is given out after another row was committed, which has no number.
    const connect = async (): Promise<pg.PoolClient> => {
      await writer.change(realm, (n += 1), { all: true }, true);
      return pool.connect();
    };
    const snapshots = { query: pool.query.bind(pool), connect } as unknown as pg.Pool;
    const process = await startProcess({ snapshotPoolOf: () => snapshots });
    const client = await TestClient.register(process, realm, '7');
    expect(client.things).toEqual([11]);
    await collect(process, client);
    expect(numbersOf(await client.registerAgain(process))).toEqual([12]);
    await collect(process, client);
    expect(numbersOf(await client.registerAgain(process))).toEqual([13]);
    await process.log.sweep();
    expect(await client.poll(process)).toEqual([]);
    await writer.change(realm, 1);
    await until(async () => (await client.poll(process)).length > 0);
    expect(client.things).toEqual([11, 12, 13, 1]);
  });
});

describe('EventLog.register with a lastKnown that cannot be continued', () => {
  const refusals: Record<string, (process: TestProcess, client: TestClient) => unknown> = {
    'an unknown queue': (_process, client) => (client.queueId = 'unknown'),
    'a queue of another owner': async (process, client) => {
      const other = await TestClient.register(process, realm, '8');
      await collect(process, other);
      client.queueId = other.queueId;
    },
    'an event that was never assigned': (_process, client) => (client.lastEventId = 1_000_000),
    'a deleted queue': async (process, client) => {
      const live = await TestClient.register(process, realm, '7');
      await process.log.remove(live);
      client.queueId = live.queueId;
    },
    'a tombstone that the client has deleted': async (process, client) => {
      await expect(process.log.remove(client)).rejects.toThrow(BadEventQueueError);
    },
    'a queue whose owner has lost access': (process) => process.log.removeOwned(realm, ['7']),
    'a tombstone whose time has passed': (_process, { queueId }) => stored().changeQueue(queueId, { expiresAtMs: 1 }),
    'a position that the log no longer contains': async (_process, client) => {
      await stored().setFloor(3);
      client.lastEventId = 200;
    },
    'a store that has lost everything': () => stored().deleteAll(),
    'a new epoch of the log': async (process) => {
      await pool.query('UPDATE queue.event_log SET position = 1 WHERE realm = $1', [realm]);
      await pool.query('DELETE FROM queue.outbox');
      await process.log.sweep();
    },
    'a queue in registration': (_process, { queueId }) => stored().changeQueue(queueId, { state: 'registering' }),
  };

  it.each(Object.keys(refusals))('returns a snapshot for %s', async (name) => {
    const process = await startProcess();
    const client = await clientOfCollectedQueue(process);
    await refusals[name]?.(process, client);
    expect(await client.registerAgain(process)).toBeNull();
    await process.change(realm, 5);
    expect(await client.collect(process, 5)).toEqual(range(1, 6));
  });

  it.each([
    ['filter', { filter: { types: ['a'] } }],
    ['capabilities', { capabilities: { newer: true } }],
    ['roles', { roles: ['public'] }],
    ['description of the snapshot', { snapshot: { types: ['a'] } }],
  ])('returns a snapshot when the registration has a different %s', async (_name, changed) => {
    const process = await startProcess();
    const client = await clientOfCollectedQueue(process);
    expect(await client.registerAgain(process, changed)).toBeNull();
  });

  it('returns a snapshot instead of a delta when the delta would exceed the limits', async () => {
    const process = await startProcess();
    for (const [limits, expected] of [
      [{ deltaCap: 2 }, [3, 4]],
      [{ deltaCap: 1 }, null],
      [{ deltaBytes: 500 }, null],
    ] as const) {
      const client = await clientOfCollectedQueue(process);
      expect(numbersOf(await client.registerAgain(await startProcess(limits)))).toEqual(expected);
      realm = uniqueName();
    }
  });

  it.each([
    ['in memory', {}],
    ['in the store', { tailBytes: 5_000 }],
  ])('renders at most 1,000 entries %s per iteration of the event loop', async (_name, options) => {
    const process = await startProcess(options);
    const client = await clientOfCollectedQueue(process);
    await process.commit(async (tx) => {
      for (const n of range(5, 4_005)) {
        process.log.write(tx, { realm, audience: { all: true }, event: { type: 'thing', n } });
      }
    });
    await process.log.sweep();
    let [rendered, most] = [0, 0];
    let isWatching = true;
    const watchTurn = (): void => {
      rendered = 0;
      if (isWatching) setImmediate(watchTurn);
    };
    watchTurn();
    const { queueId, lastEventId } = client;
    const { delta } = await process.log.register(
      {
        realm,
        owner: '7',
        idleTimeoutSeconds: 600,
        filter: {},
        capabilities: {},
        lastKnown: {
          queueId,
          lastEventId,
          render: (entry) => {
            most = Math.max(most, (rendered += 1));
            return Number(entry.event['n']) % 1_000 === 0 ? [entry.event] : [];
          },
        },
      },
      readThings(realm),
    );
    isWatching = false;
    expect(numbersOf(delta)).toEqual([1_000, 2_000, 3_000, 4_000]);
    expect(most).toBeLessThanOrEqual(1_000);
  });

  it('returns a snapshot if an entry cannot be rendered', async () => {
    const process = await startProcess();
    const client = await clientOfCollectedQueue(process);
    const { queueId, lastEventId } = client;
    const render = (): never => {
      throw new Error('unknown entry');
    };
    expect(await client.registerAgain(process, { lastKnown: { queueId, lastEventId, render } })).toBeNull();
  });
});

describe('tombstones of event queues', () => {
  it('retain the entries that their clients have not acknowledged until the tombstones expire', async () => {
    const process = await startProcess();
    const client = await clientOfCollectedQueue(process);
    await process.log.sweep();
    const units = async (): Promise<number[]> => (await stored().entries()).map(({ unit }) => unit);
    expect(await units()).toEqual([3, 4]);
    await stored().changeQueue(client.queueId, { expiresAtMs: 1 });
    await process.log.sweep();
    expect(await units()).toEqual([]);
    expect(await stored().countQueueRecords()).toBe(0);
  });

  it('remain only for the ten queues of each owner that expired last', async () => {
    const process = await startProcess();
    const other = await TestClient.register(process, realm, '8');
    await collect(process, other);
    const clients: TestClient[] = [];
    for (const _ of range(0, 12)) {
      const client = await TestClient.register(process, realm, '7');
      await collect(process, client);
      // The times of tombstones have a resolution of a millisecond.
      await sleep(2);
      clients.push(client);
    }
    expect(await stored().listTombstones()).toEqual(
      [other, ...clients.slice(2)].map(({ queueId }) => queueId).toSorted(),
    );
    expect(await stored().countQueueRecords()).toBe(11);
    expect(await clients[1]?.registerAgain(process)).toBeNull();
    expect(await clients[2]?.registerAgain(process)).toEqual([]);
  });

  it('do not exist by default, and never exist for unfinished registrations', async () => {
    const process = await startProcess({ tombstoneMs: 0 });
    await clientOfCollectedQueue(process);
    expect(await stored().countQueueRecords()).toBe(0);
    const keeping = await startProcess();
    const queue = await TestClient.register(keeping, realm, '7');
    await stored().changeQueue(queue.queueId, { state: 'registering' });
    await collect(keeping, queue);
    expect(await stored().countQueueRecords()).toBe(0);
  });

  it('count as queues of their owner, and not in the metrics', async () => {
    const process = await startProcess();
    await clientOfCollectedQueue(process);
    await process.log.sweep();
    expect(await process.log.listOwnersOfQueues(realm, ['7', '8'])).toEqual(new Set(['7']));
    expect(process.log.metrics().queues).toBe(0);
    expect(await process.log.removeOwned(realm, ['7'])).toBe(0);
    expect(await process.log.listOwnersOfQueues(realm, ['7', '8'])).toEqual(new Set());
  });

  it('replace an expired queue and end its pending poll in one step', async () => {
    const process = await startProcess();
    const client = await TestClient.register(process, realm, '7');
    const polled = client.poll(process, true);
    await until(() => process.log.metrics().waiters === 1);
    await collect(process, client);
    expect(await polled).toEqual([]);
    expect(await stored().findQueue(client.queueId)).toMatchObject({ state: 'gone', token: '' });
  });
});

describe('registration with lastKnown whose process is killed', () => {
  it.each(['event-log.between-2-and-3', 'event-log.between-3-and-4'] as const)(
    'succeeds when repeated after the process was killed at %s, and leaves no tombstone',
    async (point: FaultPoint) => {
      const process = await startProcess();
      const client = await clientOfCollectedQueue(process);
      const faultPoint = createCrashListener({ name: point, nth: 1 }, () => {
        throw new Error('died');
      });
      const dying = await startProcess({ faultPoint });
      await expect(client.registerAgain(dying)).rejects.toThrow('died');
      const [unfinished = ''] = await stored().listQueues();
      await stored().changeQueue(unfinished, { expiresAtMs: 1 });
      await process.log.sweep();
      expect(await stored().listTombstones()).toEqual([client.queueId]);
      expect(numbersOf(await client.registerAgain(process))).toEqual([3, 4]);
    },
  );
});
