import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  BadEventQueueError,
  defineOutboxMessage,
  EventLog,
  EventLogInUseError,
  EventLogUnavailableError,
  Outbox,
  QueueUsageError,
  withOutbox,
  type EventLogOptions,
} from '../src/index.js';
import { payload } from './jobs-support.js';
import { plain, range, readThings, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { redisUrl, uniqueName, until } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let realm: string;
const children: ChildProcess[] = [];
const pools: pg.Pool[] = [];

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
});
beforeEach(() => {
  realm = uniqueName();
});
afterEach(async () => {
  await stopAll();
  for (const child of children.splice(0)) {
    if (child.signalCode !== null || child.exitCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await Promise.all(pools.splice(0).map((other) => other.end()));
});
afterAll(() => drop());

const tables = { store: 'tables' as const, redis: undefined };

function startProcess(options: Partial<EventLogOptions> = {}, on = pool): TestProcess {
  return new TestProcess(on, 'switchboard', { ...tables, ...options });
}

/** Opens another pool, whose event logs are those of another process. */
function otherPool(max = 5): pg.Pool {
  const other = new pg.Pool({ connectionString: pool.options.connectionString, max });
  other.on('error', () => {});
  pools.push(other);
  return other;
}

/** Starts a process of its own that uses the tables. The process kills itself at the nth visit of a fault point. */
async function startService(point: string, nth: number): Promise<{ child: ChildProcess; queueId: string }> {
  const script = join(import.meta.dirname, 'fixture/event-log-in-tables.mjs');
  const args = [script, pool.options.connectionString ?? '', realm, point, String(nth)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until(() => said.endsWith('\n'));
  return { child, queueId: said.trim() };
}

/** Returns the numbers of all events of a queue, after maintenance has repaired the log. */
async function readNumbers(process: TestProcess, queueId: string): Promise<unknown[]> {
  await process.log.sweep();
  const request = { realm, owner: '1', queueId, lastEventId: -1, block: false };
  const events = await process.log.poll(request, plain);
  expect(events.map(({ id }) => id)).toEqual(range(1, events.length + 1).map((n) => n * 100));
  return events.map(({ n }) => n);
}

const countEntries = async (): Promise<number> =>
  (await pool.query('SELECT FROM queue.event_log_entry WHERE realm = $1', [realm])).rowCount ?? 0;

/** Appends copies of the first entry to the log, up to position `last`. */
async function appendCopies(last: number): Promise<void> {
  await pool.query(
    `WITH numbers AS (UPDATE queue.event_log SET position = $2 WHERE realm = $1),
     copies AS (
       INSERT INTO queue.event_log_entry (realm, unit, previous_unit, row_id, audience, payload, bytes)
       SELECT e.realm, n, n - 1, e.row_id + 1000000 + n, e.audience, e.payload, e.bytes
       FROM queue.event_log_entry e, generate_series(2, $2::int) n WHERE e.realm = $1 AND e.unit = 1
     )
     UPDATE queue.event_log_state SET last = $2, entries = $2, bytes = bytes * $2 WHERE realm = $1`,
    [realm, last],
  );
}

/** Returns a pool that passes the rows of its statements to `inspect`. */
function withResults(target: pg.Pool, inspect: (rows: Record<string, unknown>[]) => void): pg.Pool {
  const query = async (sql: string, params: unknown[]): Promise<unknown> => {
    const result = await target.query<Record<string, unknown>>(sql, params);
    inspect(result.rows);
    return result;
  };
  return new Proxy(target, {
    get: (_target, name): unknown => (name === 'query' ? query : Reflect.get(target, name, target)),
  });
}

const listQueues = async (): Promise<string[]> =>
  (await pool.query<{ id: string }>('SELECT id FROM queue.event_queue WHERE realm = $1', [realm])).rows.map(
    ({ id }) => id,
  );

const isLive = async (id: string | undefined): Promise<boolean> =>
  (await pool.query("SELECT FROM queue.event_queue WHERE id = $1 AND state = 'live'", [id])).rowCount === 1;

/** Returns the number of sessions of the database that wait for a lock. */
const countWaitingSessions = async (): Promise<number> =>
  (await pool.query("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"))
    .rowCount ?? 0;

function createGate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('new EventLog', () => {
  it('throws a QueueUsageError without a store, and with two stores', () => {
    const outbox = new Outbox({ pool });
    expect(() => new EventLog({ outbox, pool })).toThrow(QueueUsageError);
    expect(() => new EventLog({ outbox, pool, redis: redisUrl, store: 'tables' })).toThrow(QueueUsageError);
  });
});

describe('EventLog in tables that another process uses', () => {
  it('fails with an EventLogInUseError until the other process ends', async () => {
    const { child, queueId } = await startService('event-log.after-a', Infinity);
    await until(async () => (await readThings(realm)(pool)).length >= 5);
    const process = startProcess({}, otherPool());
    await expect(process.log.waitUntilStoreResponds()).rejects.toThrow(EventLogInUseError);
    const poll = { realm, owner: '1', queueId, lastEventId: -1, block: false };
    const refused = process.log.poll(poll, plain);
    await expect(refused).rejects.toThrow(EventLogInUseError);
    await expect(refused).rejects.toThrow(EventLogUnavailableError);
    await expect(refused).rejects.toThrow('Another process uses the event log in the tables of schema queue');
    await expect(process.log.sweep()).rejects.toThrow(EventLogInUseError);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await process.log.waitUntilStoreResponds();
    expect(await readNumbers(process, queueId)).toEqual(await readThings(realm)(pool));
  });

  it('starts when the other process ends while it waits', async () => {
    const before = startProcess();
    const client = await TestClient.register(before, realm);
    await before.change(realm, 1);
    const after = startProcess({}, otherPool());
    const waiting = after.log.waitUntilStoreResponds();
    await client.collect(before, 1);
    await before.stop();
    await waiting;
    await after.change(realm, 2);
    expect(await client.collect(after, 2)).toEqual([1, 2]);
  });

  it('writes events, which the other process delivers', async () => {
    const [process, writer] = [startProcess(), startProcess({}, otherPool())];
    const client = await TestClient.register(process, realm);
    await writer.change(realm, 1);
    await process.log.sweep();
    expect(await client.collect(process, 1)).toEqual([1]);
  });
});

describe('EventLog in tables after its process was killed', () => {
  it.each([
    ['outbox.after-commit', 3],
    ['event-log.after-a', 2],
    ['event-log.after-b', 3],
    ['event-log.after-c', 3],
    ['event-log.before-d', 1],
  ])('delivers each committed event once and in order, killed at %s', async (point, nth) => {
    const { child, queueId } = await startService(point, nth);
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    const process = startProcess({ rowRetentionMs: 0 });
    const committed = await readThings(realm)(pool);
    expect(committed.length).toBeGreaterThan(0);
    await process.log.waitUntilStoreResponds();
    expect(await readNumbers(process, queueId)).toEqual(committed);
    await process.change(realm, 9);
    expect(await readNumbers(process, queueId)).toEqual([...committed, 9]);
  });
});

describe('EventLog in tables that loses its connections', () => {
  it('locks the tables again, and continues its polls', async () => {
    const other = otherPool();
    const process = startProcess({}, other);
    const client = await TestClient.register(process, realm);
    const held = client.poll(process, true);
    await until(() => process.log.metrics().waiters === 1);
    const { rows } = await pool.query<{ ended: boolean }>(
      `SELECT pg_terminate_backend(l.pid) AS ended FROM pg_locks l JOIN pg_database d ON d.oid = l.database
       WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND d.datname = current_database()`,
    );
    expect(rows).toEqual([{ ended: true }]);
    await until(() =>
      process.log.sweep().then(
        () => true,
        () => false,
      ),
    );
    await process.change(realm, 1);
    expect(await held).toMatchObject([{ n: 1 }]);
    await expect(startProcess().log.waitUntilStoreResponds()).rejects.toThrow(EventLogInUseError);
  });
});

describe('EventLog.sweep with an event log in tables', () => {
  it('deletes at most 10,000 entries in one statement, and all that clients have received', async () => {
    const process = startProcess();
    await process.change(realm, 1);
    await until(async () => (await countEntries()) === 1);
    await appendCopies(25_000);
    await pool.query(`
      CREATE FUNCTION refuse_large_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT count(*) FROM removed) > 10000 THEN RAISE EXCEPTION 'too many entries'; END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER refuse_large_deletion AFTER DELETE ON queue.event_log_entry
      REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION refuse_large_deletion()`);
    try {
      await process.log.sweep();
    } finally {
      await pool.query('DROP FUNCTION refuse_large_deletion CASCADE');
    }
    expect(await countEntries()).toBe(0);
    const { rows } = await pool.query(
      'SELECT floor::int, entries::int, bytes::int FROM queue.event_log_state WHERE realm = $1',
      [realm],
    );
    expect(rows).toEqual([{ floor: 25_000, entries: 0, bytes: 0 }]);
  });

  it('does not remove a queue whose registration is completed while the sweep removes expired queues', async () => {
    const process = startProcess({ tombstoneMs: 0 });
    const expired = await TestClient.register(process, realm);
    const gate = createGate();
    const registering = process.log.register(
      { realm, owner: '2', idleTimeoutSeconds: 600, filter: {}, capabilities: {} },
      () => gate.opened,
    );
    const expire = 'UPDATE queue.event_queue SET expires_at = now() - $2::interval WHERE realm = $1 AND id = $3';
    let queues: string[] = [];
    await until(async () => (queues = await listQueues()).length === 2);
    const late = queues.find((id) => id !== expired.queueId);
    await pool.query(expire, [realm, '2 s', expired.queueId]);
    await pool.query(expire, [realm, '1 s', late]);
    const key = 7_777_777;
    await pool.query(`
      CREATE FUNCTION wait_before_removal() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(${key});
        RETURN OLD;
      END $$;
      CREATE TRIGGER wait_before_removal BEFORE DELETE ON queue.event_queue
      FOR EACH ROW WHEN (OLD.owner = '1') EXECUTE FUNCTION wait_before_removal()`);
    const pause = await pool.connect();
    try {
      await pause.query('SELECT pg_advisory_lock($1)', [key]);
      const swept = process.log.sweep();
      await until(async () => (await countWaitingSessions()) === 1);
      gate.open();
      // The registration ends at once if it does not wait for the sweep, and otherwise after it.
      await until(async () => (await countWaitingSessions()) === 2 || (await isLive(late)));
      await pause.query('SELECT pg_advisory_unlock($1)', [key]);
      await swept;
    } finally {
      pause.release(true);
      await pool.query('DROP FUNCTION wait_before_removal CASCADE');
    }
    const { queueId } = await registering;
    const request = { realm, owner: '2', queueId, lastEventId: -1, block: false };
    expect(await process.log.poll(request, plain)).toEqual([]);
  });
});

describe('EventLog.poll with an event log in tables', () => {
  it('reads no audience above 1,000 bytes to find the entries of a client', async () => {
    const process = startProcess();
    const client = await TestClient.register(process, realm, '1');
    await process.change(realm, 1, { users: range(2, 2_000) });
    await until(async () => (await countEntries()) === 1);
    await appendCopies(2_500);
    await process.stop();
    const lengths: number[] = [];
    const cold = startProcess(
      {},
      withResults(pool, (rows) => {
        // Only headers of entries have an audience without a payload.
        for (const { audience, payload: text } of rows)
          if (typeof audience === 'string' && text === undefined) lengths.push(audience.length);
      }),
    );
    await cold.change(realm, 2, { users: [1] });
    expect(await client.collect(cold, 1)).toEqual([2]);
    expect(lengths.length).toBeGreaterThan(500);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1_000);
  });

  it('checks the queues of many polls by one connection of the pool', async () => {
    const other = otherPool(10);
    const process = startProcess({}, other);
    const { queueId } = await TestClient.register(process, realm);
    const connection = await pool.connect();
    try {
      await connection.query('BEGIN');
      await connection.query('SELECT FROM queue.event_log_state WHERE realm = $1 FOR UPDATE', [realm]);
      const request = { realm, owner: '1', queueId, lastEventId: -1, block: false };
      const polls = Promise.allSettled(range(0, 1_000).map(() => process.log.poll(request, plain)));
      await until(async () => (await countWaitingSessions()) > 0);
      // One connection has the lock, and one checks the queues.
      expect(other.totalCount - other.idleCount).toBe(2);
      await connection.query('COMMIT');
      await polls;
    } finally {
      connection.release(true);
    }
  });
});

describe('EventLog in tables', () => {
  it('uses one connection of the pool for its lock, and returns it when it stops', async () => {
    const other = otherPool(2);
    const process = startProcess({}, other);
    const client = await TestClient.register(process, realm);
    await process.change(realm, 1);
    expect(await client.collect(process, 1)).toEqual([1]);
    await until(() => other.totalCount - other.idleCount === 1);
    await process.stop();
    expect(other.totalCount - other.idleCount).toBe(0);
  });

  it('replaces a row that PostgreSQL rejects by an empty entry, and clients register again', async () => {
    const process = startProcess({ entryAttempts: 2 });
    const client = await TestClient.register(process, realm);
    await pool.query("ALTER TABLE queue.event_log_entry ADD CONSTRAINT short CHECK (payload NOT LIKE '%666%')");
    try {
      await process.commit(async (tx) =>
        process.log.write(tx, { realm, audience: { all: true }, event: { type: 'thing', n: 666 } }),
      );
      await until(async () => {
        await process.log.sweep();
        return process.log.metrics().voided === 1;
      });
    } finally {
      await pool.query('ALTER TABLE queue.event_log_entry DROP CONSTRAINT short');
    }
    await process.log.sweep();
    const cold = startProcess();
    await expect(client.poll(cold)).rejects.toThrow(BadEventQueueError);
    const again = await TestClient.register(cold, realm);
    await cold.change(realm, 1);
    expect(await again.collect(cold, 1)).toEqual([1]);
  });

  it('rejects ids and owners that PostgreSQL cannot store like unknown queues', async () => {
    const process = startProcess();
    const client = await TestClient.register(process, realm);
    const request = { realm, lastEventId: -1, block: false };
    for (const [queueId, owner] of [
      ['a\0b', '1'],
      [client.queueId, '\0'],
      ['\ud800', '1'],
    ] as const) {
      await expect(process.log.poll({ ...request, queueId, owner }, plain)).rejects.toThrow(BadEventQueueError);
      await expect(process.log.remove({ realm, queueId, owner })).rejects.toThrow(BadEventQueueError);
    }
    expect(await process.log.removeOwned(realm, ['\0', '1'])).toBe(1);
    await expect(TestClient.register(process, realm, '\0')).rejects.toThrow(QueueUsageError);
  });

  it('moves to Redis and back without a lost or repeated event', async () => {
    const prefix = uniqueName();
    let process = new TestProcess(pool, prefix, tables);
    const first = await TestClient.register(process, realm);
    await process.change(realm, 1);
    expect(await first.collect(process, 1)).toEqual([1]);
    let client = first;
    for (const [n, store] of [
      [2, { redis: redisUrl, store: undefined }],
      [3, tables],
    ] as const) {
      await process.stop();
      process = new TestProcess(pool, prefix, store);
      await process.log.waitUntilStoreResponds();
      await process.log.sweep();
      await expect(client.poll(process)).rejects.toThrow(BadEventQueueError);
      client = await TestClient.register(process, realm);
      expect(client.things).toEqual(range(1, n));
      await process.change(realm, n);
      expect(await client.collect(process, n)).toEqual(range(1, n + 1));
    }
    // The first queue still exists in the tables, and so do the rows of all events since.
    expect(await first.collect(process, 3)).toEqual([1, 2, 3]);
  });
});

describe('Outbox without Redis', () => {
  it('dispatches rows after the commit, and later rows at its next search', async () => {
    const noted = defineOutboxMessage({ name: 'noted', version: 1, payload });
    const outbox = new Outbox({ pool, sweepMs: 50 });
    const dispatched: number[] = [];
    outbox.dispatch(noted, async (rows) => void dispatched.push(...rows.map((row) => row.payload.n)));
    await outbox.start('all');
    await withOutbox(pool, outbox, async (tx) => {
      outbox.add(tx, noted, { n: 1 });
      outbox.add(tx, noted, { n: 2 }, { notBefore: new Date(Date.now() + 200) });
    });
    await until(() => dispatched.length === 2);
    expect(dispatched).toEqual([1, 2]);
    await outbox.stop();
  });
});
