import { Redis } from 'ioredis';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  BadEventQueueError,
  EventAheadError,
  EventPrunedError,
  defaultEventLogSettings,
  processClock,
  withOutbox,
  type ClientEvent,
  type QueueClock,
  type QueuePool,
} from '../src/index.js';
import { plain, range, readThings, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { redisUrl, sleep, uniqueName, until } from './queue-test-support.js';
import { closeStoredLogs, itOnRedis, openStoredLog, type StoredLog } from './stored-log.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let openLog: (prefix: string, realm: string) => StoredLog;
let stored: StoredLog;
let prefix: string;
let realm: string;

const position = async (): Promise<number> =>
  Number(
    (await pool.query<{ position: string }>('SELECT position FROM queue.event_log WHERE realm = $1', [realm])).rows[0]
      ?.position ?? 0,
  );
const last = (): Promise<number> => stored.last();

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
  openLog = openStoredLog(pool);
});
beforeEach(async () => {
  await pool.query('TRUNCATE queue.outbox, queue.event_log');
  prefix = uniqueName();
  realm = uniqueName();
  stored = openLog(prefix, realm);
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

describe('settings of the event log', () => {
  it('have the documented values', () => {
    expect(defaultEventLogSettings).toMatchObject({
      heartbeatMs: 50_000,
      sweepMs: 5_000,
      collectMs: 60_000,
      rowRetentionMs: 10_000,
      logHardCap: 1_000_000,
      logCapBytes: 256 * 1024 * 1024,
      tailBytes: 64 * 1024 * 1024,
      queueCap: 10_000,
    });
  });
});

describe('EventLog: writes and dispatching', () => {
  it('append only committed entries, once and in order (I1, I2)', async () => {
    const process = await startProcess();
    for (const n of range(0, 5)) await process.change(realm, n);
    const failed = withOutbox(pool, process.outbox, async (tx) => {
      process.log.write(tx, { realm, audience: { all: true }, event: { type: 'never' } });
      await process.outbox.flush(tx);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await until(async () => (await last()) === 5);
    const entries = await stored.entries();
    expect(entries.map((entry) => entry.unit)).toEqual([1, 2, 3, 4, 5]);
    expect(entries.map((entry) => entry.previous)).toEqual([0, 1, 2, 3, 4]);
    const rows = await pool.query<{ id: string; seq: string }>(
      'SELECT id, seq FROM queue.outbox WHERE realm = $1 ORDER BY seq',
      [realm],
    );
    expect(entries.map((entry) => entry.row)).toEqual(rows.rows.map((row) => row.id));
  });

  it('produce a log without gaps with four concurrent dispatchers (I2, I3, I8)', async () => {
    const processes = await Promise.all(range(0, 4).map(() => startProcess()));
    const client = await TestClient.register(processes[0]!, realm);
    let writing = true;
    const ahead: [number, number][] = [];
    const watch = async (): Promise<void> => {
      // Reads `last` first: every number in Redis was committed before.
      while (writing) {
        const [inRedis, committed] = [await last(), await position()];
        if (inRedis > committed) ahead.push([inRedis, committed]);
      }
    };
    const watching = watch();
    await Promise.all(
      processes.map(async (process, k) => {
        for (const n of range(0, 25)) await process.change(realm, k * 100 + n);
      }),
    );
    writing = false;
    await watching;
    expect(ahead).toEqual([]);
    const things = await client.collect(processes[1]!, 100);
    for (const [k] of processes.entries()) {
      const own = things.filter((n) => Math.floor(n / 100) === k);
      expect(own).toEqual(range(k * 100, k * 100 + 25));
    }
    const entries = await stored.entries();
    for (const [index, entry] of entries.entries())
      expect(entry.previous).toBe(index === 0 ? 0 : entries[index - 1]!.unit);
    expect(await last()).toBeLessThanOrEqual(await position());
  });

  it('complete the work of a process that died after its commit or during the dispatch', async () => {
    const [dying, other] = [await startProcess(), await startProcess()];
    const client = await TestClient.register(other, realm);
    await dying.change(realm, 1, { all: true }, true);
    await other.log.sweep();
    expect(await client.collect(other, 1)).toEqual([1]);

    await dying.change(realm, 2, { all: true }, true);
    await pool.query("SELECT * FROM queue.assign('event-log', $1, 100, NULL)", [realm]); // Died after A.
    await other.log.sweep();
    expect(await client.collect(other, 2)).toEqual([1, 2]);

    await other.log.sweep(); // Died after C: the rows still exist, and appending them again has no effect.
    expect(await last()).toBe(2);
    expect(await client.poll(other)).toEqual([]);
  });

  itOnRedis('delete a row only after its retention time in the log (I4)', async () => {
    const patient = await startProcess({ rowRetentionMs: 60_000 });
    await patient.change(realm, 1);
    await until(async () => (await last()) === 1);
    const rows = async (): Promise<number> =>
      (await pool.query('SELECT 1 FROM queue.outbox WHERE realm = $1', [realm])).rowCount ?? 0;
    await patient.log.sweep();
    expect(await rows()).toBe(1);
    await patient.stop();
    const process = await startProcess({ rowRetentionMs: 100 });
    await sleep(120);
    await stored.deleteAll(); // Redis lost data: the mark is void.
    await process.log.sweep();
    expect(await rows()).toBe(1);
    expect(await last()).toBe(1);
    await sleep(120);
    await process.log.sweep();
    await sleep(120);
    await process.log.sweep();
    expect(await rows()).toBe(0);
  });

  itOnRedis('number rows without Redis (I9)', async () => {
    const process = new TestProcess(pool, prefix, { redis: 'redis://127.0.0.1:1' });
    await process.change(realm, 1);
    await process.change(realm, 2, { all: true }, true);
    await until(async () => (await position()) >= 1);
    await process.log.sweep();
    const { rowCount } = await pool.query('SELECT 1 FROM queue.outbox WHERE realm = $1 AND seq IS NULL', [realm]);
    expect(rowCount).toBe(0);
    expect(await position()).toBe(2);
  });
});

describe('EventLog.register', () => {
  it('returns each change once, in the snapshot or as an event, with concurrent writers (I7)', async () => {
    const processes = [await startProcess(), await startProcess()];
    let writing = true;
    let n = 0;
    const writers = range(0, 4).map(async (k) => {
      while (writing) await processes[k % 2]!.change(realm, (n += 1));
    });
    const clients: TestClient[] = [];
    for (const round of range(0, 12)) clients.push(await TestClient.register(processes[round % 2]!, realm));
    writing = false;
    await Promise.all(writers);
    const fresh = await withOutbox(pool, processes[0]!.outbox, readThings(realm));
    for (const client of clients) {
      const things = await client.collect(processes[1]!, fresh.length);
      expect(things.toSorted((a, b) => a - b)).toEqual(fresh.toSorted((a, b) => a - b));
    }
  });

  it('delivers no event for rows that the snapshot contains and that were not numbered yet', async () => {
    const process = await startProcess();
    await process.change(realm, 1);
    await until(async () => (await last()) === 1);
    // A row committed between step A and the snapshot by a process that died.
    const { queueId, snapshot } = await process.log.register(
      { realm, owner: '1', idleTimeoutSeconds: 60, filter: {}, capabilities: {} },
      readThings(realm),
    );
    expect(snapshot).toEqual([1]);
    const dead = new TestProcess(pool, prefix);
    let wrote = false;
    const pausing: QueuePool = {
      query: pool.query.bind(pool),
      connect: async () => {
        if (!wrote) await dead.change(realm, 2, { all: true }, (wrote = true));
        return pool.connect();
      },
    };
    const racing = new TestProcess(pool, prefix, { snapshotPoolOf: () => pausing });
    await racing.log.waitUntilStoreResponds();
    const client = await TestClient.register(racing, realm);
    expect(client.things).toEqual([1, 2]);
    expect((await stored.findQueue(client.queueId))?.skip).not.toBe('');
    await process.log.sweep();
    await process.change(realm, 3);
    expect(await client.collect(process, 3)).toEqual([1, 2, 3]);
    const earlier = await process.log.poll({ realm, owner: '1', queueId, lastEventId: -1, block: false }, plain);
    expect(earlier.map((event) => event.n)).toEqual([2, 3]);
  });

  it('starts again when the queues of its owner are removed during the registration', async () => {
    const process = await startProcess();
    let snapshots = 0;
    const options = { realm, owner: '1', idleTimeoutSeconds: 600, filter: {}, capabilities: {} };
    const { queueId, snapshot } = await process.log.register(options, async () => {
      snapshots += 1;
      // Removes the queues like a role change of the owner after its commit.
      if (snapshots <= 8) await process.log.removeOwned(realm, ['1']);
      return snapshots;
    });
    expect(snapshot).toBe(9);
    const poll = { realm, owner: '1', queueId, lastEventId: -1, block: false };
    expect(await process.log.poll(poll, plain)).toEqual([]);
  });

  it('makes polls of the new queue fail until the registration is finished', async () => {
    const process = await startProcess();
    const client = await TestClient.register(process, realm);
    await stored.changeQueue(client.queueId, { state: 'registering' });
    await expect(client.poll(process)).rejects.toThrow(BadEventQueueError);
  });

  it('completes a long snapshot under load without blocking other registrations', async () => {
    const process = await startProcess();
    const other = await TestClient.register(process, realm);
    let close = (): void => {};
    const closed = new Promise<void>((resolve) => (close = resolve));
    const registering = process.log.register(
      { realm, owner: '1', idleTimeoutSeconds: 60, filter: {}, capabilities: {} },
      async (tx) => {
        const things = await readThings(realm)(tx);
        await closed;
        return things;
      },
    );
    for (const n of range(0, 30)) await process.change(realm, n);
    expect(await other.collect(process, 30)).toEqual(range(0, 30));
    await process.log.sweep();
    close();
    const { queueId, snapshot } = await registering;
    await until(async () => (await last()) === (await position()));
    const events = await process.log.poll({ realm, owner: '1', queueId, lastEventId: -1, block: false }, plain);
    expect([...snapshot, ...events.map((event) => event.n)]).toEqual(range(0, 30));
  });
});

describe('EventLog.poll', () => {
  it('returns each event once from any process, with the ids 100, 200, 300 (I6)', async () => {
    const [a, b] = [await startProcess(), await startProcess()];
    const client = await TestClient.register(a, realm);
    for (const n of range(0, 3)) await a.change(realm, n);
    expect((await client.poll(b, true)).length).toBeGreaterThan(0);
    await client.collect(b, 3);
    for (const n of range(3, 6)) await b.change(realm, n);
    await client.collect(a, 6);
    expect(client.things).toEqual(range(0, 6));
    expect(client.received.map((event) => event.id)).toEqual([100, 200, 300, 400, 500, 600]);
  });

  it('completes a pending poll in the writing process and in another process', async () => {
    const [a, b] = [await startProcess(), await startProcess()];
    const [here, there] = [await TestClient.register(a, realm), await TestClient.register(a, realm)];
    const polls = Promise.all([here.poll(a, true), there.poll(b, true)]);
    await until(() => a.log.metrics().waiters === 1 && b.log.metrics().waiters === 1);
    await a.change(realm, 7);
    for (const events of await polls) expect(events).toEqual([{ type: 'thing', n: 7, id: 100 }]);
    expect(a.log.metrics()).toMatchObject({ waiters: 0, realms: 1 });
  });

  it('repeats events that were not acknowledged', async () => {
    const process = await startProcess();
    const { queueId } = await TestClient.register(process, realm);
    for (const n of range(0, 3)) await process.change(realm, n);
    await until(async () => (await last()) === 3);
    const poll = (lastEventId: number): Promise<ClientEvent[]> =>
      process.log.poll({ realm, owner: '1', queueId, lastEventId, block: false }, plain);
    const first = await poll(-1);
    expect(await poll(-1)).toEqual(first);
    expect((await poll(200)).map((event) => event.id)).toEqual([300]);
    await expect(poll(100)).rejects.toThrow(new EventPrunedError(100));
    await expect(poll(99_900)).rejects.toThrow(new EventAheadError(99_900));
    await expect(poll(Number.NaN)).rejects.toThrow(EventAheadError);
    expect((await poll(200)).map((event) => event.id)).toEqual([300]);
  });

  it.each([99_900, 9_007_199_254_740_900])(
    'rejects an id that was never assigned, without side effects: %d',
    async (invented) => {
      const [writer, first] = [await startProcess(), await startProcess()];
      const client = await TestClient.register(writer, realm);
      const { owner, queueId } = await TestClient.register(writer, realm);
      await writer.change(realm, 1);
      await until(async () => (await last()) === 1);
      const poll = { realm, owner, queueId, lastEventId: invented, block: true };
      await expect(first.log.poll(poll, plain)).rejects.toThrow(new EventAheadError(invented));
      expect(await client.poll(first)).toMatchObject([{ id: 100, n: 1 }]);
      const held = client.poll(first, true);
      await until(() => first.log.metrics().waiters === 1);
      await writer.change(realm, 2);
      expect(await held).toMatchObject([{ id: 200, n: 2 }]);
    },
  );

  it('delivers entries only to their audience: all, users, roles or none', async () => {
    const process = await startProcess();
    const one = await TestClient.register(process, realm, '1');
    const two = await TestClient.register(process, realm, '2', { roles: ['mods'] });
    await process.change(realm, 1, { users: [1] });
    await process.change(realm, 2, { users: [2, 300_000, 7] });
    await process.change(realm, 3, { roles: ['mods'] });
    await process.change(realm, 4, { users: [] });
    await process.change(realm, 5, { all: true });
    expect(await one.collect(process, 2)).toEqual([1, 5]);
    expect(await two.collect(process, 3)).toEqual([2, 3, 5]);
  });

  it('ends only the pending polls that an entry concerns', async () => {
    const process = await startProcess();
    const rendered: string[] = [];
    const aborts = new AbortController();
    const polls = await Promise.all(
      range(1, 6).map(async (user) => {
        const { queueId, owner } = await TestClient.register(process, realm, String(user));
        const request = { realm, owner, queueId, lastEventId: -1, block: true, signal: aborts.signal };
        return {
          done: process.log.poll(request, (entry, queue) => {
            rendered.push(queue.owner);
            return [entry.event];
          }),
        };
      }),
    );
    await until(() => process.log.metrics().waiters === 5);
    await process.change(realm, 1, { users: [3] });
    await polls[2]!.done;
    expect(rendered).toEqual(['3']);
    aborts.abort();
    expect(await polls[0]!.done).toEqual([]);
    await Promise.all(polls.map((poll) => poll.done));
  });

  it('returns several events of one entry, and continues between these events when requested', async () => {
    const process = await startProcess();
    const { queueId } = await TestClient.register(process, realm);
    await withOutbox(pool, process.outbox, async (tx) => {
      process.log.write(tx, { realm, audience: { all: true }, event: { ids: [7, 8, 9] }, weight: 3 });
      process.log.write(tx, { realm, audience: { all: true }, event: { ids: [10] } });
    });
    await until(async () => (await last()) === 4);
    const split: Parameters<typeof process.log.poll>[1] = (entry) => (entry.event.ids as number[]).map((n) => ({ n }));
    const poll = (lastEventId: number): Promise<ClientEvent[]> =>
      process.log.poll({ realm, owner: '1', queueId, lastEventId, block: false }, split);
    expect(await poll(-1)).toEqual([
      { n: 7, id: 100 },
      { n: 8, id: 200 },
      { n: 9, id: 300 },
      { n: 10, id: 400 },
    ]);
    await process.log.sweep();
    expect((await poll(200)).map((event) => event.n)).toEqual([9, 10]);
    await process.log.sweep();
    expect((await poll(200)).map((event) => event.n)).toEqual([9, 10]);
  });

  it('removes only the queue for which an entry cannot be rendered', async () => {
    const process = await startProcess();
    const poll = ({ queueId }: TestClient, lastEventId: number, block: boolean): Promise<ClientEvent[]> =>
      process.log.poll({ realm, owner: '1', queueId, lastEventId, block }, (entry, queue) => {
        if (entry.event.n === 2 && queue.id !== sound.queueId) throw new Error('no such form');
        return [entry.event];
      });
    const sound = await TestClient.register(process, realm);
    const clients = [await TestClient.register(process, realm), await TestClient.register(process, realm)];
    await process.change(realm, 1);
    await until(async () => (await last()) === 1);
    const held = [poll(clients[0]!, 100, true), poll(sound, 100, true)];
    const refused = expect(held[0]).rejects.toThrow(BadEventQueueError);
    await until(() => process.log.metrics().waiters === 2);
    await process.change(realm, 2);
    await refused;
    expect(await held[1]).toMatchObject([{ n: 2 }]);
    await expect(poll(clients[1]!, -1, false)).rejects.toThrow(BadEventQueueError);
    for (const { queueId } of clients) expect(await stored.findQueue(queueId)).toBeNull();
  });

  it('rejects queues of other owners like unknown queues', async () => {
    const process = await startProcess();
    const { queueId } = await TestClient.register(process, realm, '1');
    const request = { realm, lastEventId: -1, block: false };
    await expect(process.log.poll({ ...request, owner: '2', queueId }, plain)).rejects.toThrow(BadEventQueueError);
    await expect(process.log.poll({ ...request, owner: '1', queueId: 'x' }, plain)).rejects.toThrow(BadEventQueueError);
    await expect(process.log.remove({ realm, queueId, owner: '2' })).rejects.toThrow(BadEventQueueError);
  });

  it('ends the first poll when a second poll of the queue starts, in the same or another process', async () => {
    const [a, b] = [await startProcess(), await startProcess()];
    const client = await TestClient.register(a, realm);
    const first = client.poll(a, true);
    await until(() => a.log.metrics().waiters === 1);
    const second = client.poll(a, true);
    expect(await first).toEqual([]);
    const third = client.poll(b, true);
    expect(await second).toEqual([]);
    await until(() => b.log.metrics().waiters === 1);
    await a.change(realm, 1);
    expect(await third).toHaveLength(1);
  });

  itOnRedis('ends a poll when another process polls the queue, even if the message is lost', async () => {
    const process = await startProcess();
    const client = await TestClient.register(process, realm);
    const held = client.poll(process, true);
    await until(() => process.log.metrics().waiters === 1);
    await stored.changeQueue(client.queueId, { token: 'another:1' });
    const redis = new Redis(redisUrl);
    await redis.hset(`{${prefix}:${realm}}:meta`, { epoch: 1, last: 9, floor: 9 });
    // The log has a new beginning: every pending poll checks again.
    await redis.publish(`{${prefix}:${realm}}:wake`, '9');
    expect(await held).toEqual([]);
    expect((await stored.findQueue(client.queueId))?.token).toBe('another:1');
    redis.disconnect();
  });

  it('detects a removed queue within a minute, even if the message about the removal is lost', async () => {
    const began = Date.now();
    const clock: QueueClock = {
      ...processClock,
      now: () => began + (Date.now() - began) * 500,
      setTimeout: (run, ms) => processClock.setTimeout(run, ms / 500),
    };
    const process = await startProcess({ clock, heartbeatMs: 600_000 });
    const client = await TestClient.register(process, realm);
    const held = client.poll(process, true);
    await until(() => process.log.metrics().waiters === 1);
    const due = (await stored.findQueue(client.queueId))?.expiresAtMs;
    expect(due).toBeLessThan(Date.now() + 60_000 + 600_000 + 1_000);
    await stored.deleteQueue(client.queueId);
    await expect(held).rejects.toThrow(BadEventQueueError);
    expect(clock.now() - began).toBeLessThan(300_000);
  });

  it('ends a pending poll when its queue is removed, singly or with its owner', async () => {
    const [a, b] = [await startProcess(), await startProcess()];
    const [one, two] = [await TestClient.register(a, realm), await TestClient.register(a, realm)];
    const polls = Promise.all([one.poll(a, true), two.poll(b, true)]);
    await until(() => a.log.metrics().waiters + b.log.metrics().waiters === 2);
    await b.log.remove({ realm, queueId: one.queueId, owner: '1' });
    expect(await a.log.removeOwned(realm, ['1'])).toBe(1);
    expect(await polls).toEqual([[], []]);
    await expect(one.poll(b)).rejects.toThrow(BadEventQueueError);
    await expect(two.poll(a)).rejects.toThrow(BadEventQueueError);
  });

  it('returns no events when the process stops, and continues at another process', async () => {
    const [a, b] = [await startProcess(), await startProcess()];
    const client = await TestClient.register(a, realm);
    const held = client.poll(a, true);
    await until(() => a.log.metrics().waiters === 1);
    await a.stop();
    expect(await held).toEqual([]);
    await b.change(realm, 1);
    expect(await client.poll(b, true)).toHaveLength(1);
  });

  it('rejects a queue with more pending events than the cap', async () => {
    const process = await startProcess({ queueCap: 3 });
    const [busy, quiet] = [
      await TestClient.register(process, realm, '1'),
      await TestClient.register(process, realm, '2'),
    ];
    for (const n of range(0, 4)) await process.change(realm, n, { users: [1] });
    await until(async () => (await last()) === 4);
    await expect(busy.poll(process)).rejects.toThrow(BadEventQueueError);
    expect(await quiet.poll(process)).toEqual([]);
  });
});

describe('EventLog: heartbeats of a queue', () => {
  it('have increasing ids between events, and acknowledge skipped entries (I6)', async () => {
    const process = await startProcess({ heartbeatMs: 30 });
    const client = await TestClient.register(process, realm, '1');
    await client.poll(process, true);
    await client.poll(process, true);
    expect(client.received).toEqual([
      { type: 'heartbeat', id: 1 },
      { type: 'heartbeat', id: 2 },
    ]);
    await process.change(realm, 1, { users: [9] });
    await until(async () => (await last()) === 1);
    await client.poll(process, true);
    expect(client.lastEventId).toBe(101);
    await client.poll(process);
    expect((await stored.findQueue(client.queueId))?.acknowledged).toBe(1);
    await process.change(realm, 2);
    await until(async () => (await last()) === 2);
    await client.poll(process, true);
    expect(client.lastEventId).toBe(200);
  });

  it('cause an entry without recipients when all event ids of a log position are used', async () => {
    const process = await startProcess({ heartbeatMs: 20 });
    const client = await TestClient.register(process, realm);
    client.lastEventId = 99;
    expect(await client.poll(process, true)).toEqual([]);
    await until(async () => (await last()) === 1);
    expect(await client.poll(process, true)).toEqual([{ type: 'heartbeat', id: 101 }]);
  });
});

describe('EventLog: removal of old entries and queues', () => {
  it('deletes only entries that all queues have acknowledged (I5)', async () => {
    const process = await startProcess();
    const [slow, quick] = [await TestClient.register(process, realm), await TestClient.register(process, realm)];
    for (const n of range(0, 10)) await process.change(realm, n);
    await quick.collect(process, 10);
    await quick.poll(process);
    await process.log.sweep();
    expect(await stored.floor()).toBe(0);
    slow.lastEventId = 400;
    await slow.poll(process);
    await process.log.sweep();
    expect(await stored.floor()).toBe(4);
    expect((await stored.entries()).map((entry) => entry.unit)).toEqual(range(5, 11));
    expect(slow.things).toEqual(range(4, 10));
  });

  it('rejects only queues that need entries beyond the limit logHardCap', async () => {
    const process = await startProcess({ logHardCap: 5 });
    const cold = await startProcess();
    const [slow, quick] = [await TestClient.register(process, realm), await TestClient.register(process, realm)];
    for (const n of range(0, 10)) await process.change(realm, n);
    await quick.collect(process, 10);
    await process.log.sweep();
    expect(await stored.floor()).toBe(5);
    await expect(slow.poll(cold)).rejects.toThrow(BadEventQueueError);
    await process.change(realm, 10);
    expect(await quick.collect(cold, 11)).toEqual(range(0, 11));
  });

  it('deletes idle queues, whose idle time is measured by the clock of the store', async () => {
    const process = await startProcess({ heartbeatMs: 5_000 });
    const idle = await TestClient.register(process, realm, '1', { idleTimeoutSeconds: 0.5 });
    const held = await TestClient.register(process, realm, '1', { idleTimeoutSeconds: 0.5 });
    const aborts = new AbortController();
    const poll = held.poll(process, true, aborts.signal);
    await sleep(600);
    // Its idle timeout has passed; it is rejected even before it is collected.
    await expect(idle.poll(process)).rejects.toThrow(BadEventQueueError);
    expect(await stored.findQueue(idle.queueId)).not.toBeNull();
    await process.log.sweep();
    await expect(idle.poll(process)).rejects.toThrow(BadEventQueueError);
    expect(await stored.findQueue(idle.queueId)).toBeNull();
    await process.change(realm, 1);
    expect(await poll).toHaveLength(1);
  });

  it('limits the entries in memory, and reads older entries from the store', async () => {
    const process = await startProcess({ tailBytes: 5_000 });
    const client = await TestClient.register(process, realm);
    await client.poll(process);
    for (const n of range(0, 60)) await process.change(realm, n);
    await until(async () => (await last()) === 60);
    expect(process.log.metrics().tailBytes).toBeLessThanOrEqual(5_000);
    expect(await client.collect(process, 60)).toEqual(range(0, 60));
  });
});
