import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  defineOutboxMessage,
  createCrashListener,
  Outbox,
  QueueUsageError,
  withOutbox,
  type OutboxOptions,
  type DeadLetterFilter,
} from '../src/index.js';
import { PrivateRedis, redisUrl, testPool, TestTransaction, uniqueName, until } from './queue-test-support.js';

const changes = defineOutboxMessage({ name: 'test.changes', version: 1, payload: z.strictObject({ n: z.int() }) });
const ordered = defineOutboxMessage({
  name: 'test.ordered',
  version: 1,
  payload: z.strictObject({ n: z.int() }),
  order: 'key',
});

let pool: pg.Pool;
let drop: () => Promise<void>;
const outboxes: Outbox[] = [];

function makeOutbox(options: Partial<OutboxOptions> = {}): Outbox {
  const outbox = new Outbox({ pool, sweepMs: 50, retryDelayMs: 10, ...options });
  outboxes.push(outbox);
  return outbox;
}

const rowCount = async (): Promise<number> =>
  Number((await pool.query<{ n: string }>('SELECT count(*) AS n FROM queue.outbox')).rows[0]?.n);

/**
 * Adds outbox rows in a transaction. The process dies immediately after the commit, before it wakes another process.
 */
async function addAndCrash(outbox: Outbox, rows: { n: number; key?: string }[], topic = changes): Promise<void> {
  const connection = await pool.connect();
  const tx = new TestTransaction(connection);
  await tx.query('BEGIN');
  for (const { n, key } of rows) outbox.add(tx, topic, { n }, key === undefined ? {} : { key });
  await outbox.flush(tx);
  await tx.end('COMMIT');
  connection.release();
}

beforeAll(async () => {
  ({ pool, drop } = await testPool());
});
beforeEach(() => pool.query('TRUNCATE queue.outbox'));
afterEach(async () => {
  await Promise.all(outboxes.splice(0).map((outbox) => outbox.stop()));
});
afterAll(() => drop());

it('Outbox dispatches rows even when the injected clock stands still', async () => {
  const outbox = makeOutbox({ clock: { now: () => 0, setTimeout: () => null, clearTimeout: () => {} } });
  const seen: number[] = [];
  outbox.dispatch(changes, async (rows) => void seen.push(...rows.map(({ payload }) => payload.n)));
  for (const batch of [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9],
  ]) {
    await withOutbox(pool, outbox, async (tx) => {
      for (const n of batch) outbox.add(tx, changes, { n });
    });
    await until(() => seen.length === batch[2]);
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('Outbox deletes rows whose key selectKeys rejects, without parsing their payloads', async () => {
  const outbox = makeOutbox();
  const seen: number[] = [];
  const asked: string[][] = [];
  await withOutbox(pool, outbox, async (tx) => {
    for (const [index, key] of ['site:1', 'rack:1', 'site:2'].entries()) outbox.add(tx, ordered, { n: index }, { key });
  });
  await pool.query(`UPDATE queue.outbox SET payload = '"unreadable"' WHERE key = 'rack:1'`);
  outbox.dispatch(ordered, async (rows) => void seen.push(...rows.map(({ payload }) => payload.n)), {
    selectKeys: (keys) => {
      asked.push([...keys].toSorted());
      return Promise.resolve(new Set(keys.filter((key) => key.startsWith('site:'))));
    },
  });
  await outbox.start('worker');
  await until(async () => (await rowCount()) === 0);
  expect([asked, seen.toSorted()]).toEqual([[['rack:1', 'site:1', 'site:2']], [0, 2]]);
});

describe('Outbox.add', () => {
  it('stores nothing when the transaction rolls back', async () => {
    const outbox = makeOutbox();
    const failed = withOutbox(pool, outbox, async (tx) => {
      outbox.add(tx, changes, { n: 1 });
      await outbox.flush(tx);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await rowCount()).toBe(0);
  });

  it('validates the payload immediately and requires a key for an ordered message type', async () => {
    const outbox = makeOutbox();
    await withOutbox(pool, outbox, async (tx) => {
      expect(() => outbox.add(tx, changes, { n: 1.5 })).toThrow(z.ZodError);
      expect(() => outbox.add(tx, ordered, { n: 1 })).toThrow('a key is required');
    });
    expect(await rowCount()).toBe(0);
  });

  it('inserts all rows of a transaction by one statement, in the order of the calls', async () => {
    const outbox = makeOutbox();
    await outbox.start('api');
    const statements: string[] = [];
    const tx = new TestTransaction({
      query: <R>(sql: string, params?: unknown[]) => {
        statements.push(sql);
        return pool.query<R & pg.QueryResultRow>(sql, params);
      },
    });
    for (let n = 0; n < 50; n += 1) outbox.add(tx, changes, { n });
    expect(statements).toHaveLength(0);
    await outbox.flush(tx);
    expect(statements).toHaveLength(1);
    const { rows } = await pool.query<{ payload: { n: number } }>('SELECT payload FROM queue.outbox ORDER BY id');
    expect(rows.map((row) => row.payload.n)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it('rejects the message type of the event log', () => {
    expect(() => defineOutboxMessage({ name: 'event-log', version: 1, payload: z.unknown() })).toThrow(QueueUsageError);
  });
});

describe('Outbox dispatch', () => {
  it('runs in the committing process without Redis, with the request id', async () => {
    const outbox = makeOutbox({ context: () => ({ requestId: 'req-7' }) });
    const seen: unknown[] = [];
    outbox.dispatch(changes, async (rows) => {
      seen.push(...rows.map((row) => ({ n: row.payload.n, context: row.context })));
    });
    await withOutbox(pool, outbox, async (tx) => outbox.add(tx, changes, { n: 1 }));
    await until(async () => (await rowCount()) === 0);
    expect(seen).toEqual([{ n: 1, context: { requestId: 'req-7' } }]);
  });

  it('rolls back the writes of a dispatcher if its batch fails', async () => {
    const outbox = makeOutbox({ retryDelayMs: 1 });
    await pool.query('CREATE TABLE tries (n int)');
    let tries = 0;
    outbox.dispatch(changes, async (_rows, tx) => {
      tries += 1;
      await tx.query('INSERT INTO tries VALUES ($1)', [tries]);
      if (tries < 3) throw new Error('after its write');
    });
    await addAndCrash(outbox, [{ n: 1 }]);
    await until(async () => {
      await outbox.sweep();
      return (await rowCount()) === 0;
    });
    expect((await pool.query('SELECT n FROM tries')).rows).toEqual([{ n: 3 }]);
  });

  it('processes each batch in the transaction that deletes the rows of the batch', async () => {
    const outbox = makeOutbox({ batchSize: 40 });
    await pool.query('CREATE TABLE IF NOT EXISTS effects (row_id bigint PRIMARY KEY)');
    const sizes: number[] = [];
    let followed = 0;
    outbox.dispatch(changes, async (rows, tx) => {
      sizes.push(rows.length);
      await tx.query('INSERT INTO effects SELECT unnest($1::bigint[])', [rows.map((row) => row.id)]);
      return { afterCommit: async () => void (followed += rows.length) };
    });
    await addAndCrash(
      outbox,
      Array.from({ length: 100 }, (_, n) => ({ n })),
    );
    await outbox.sweep();
    expect(sizes).toEqual([40, 40, 20]);
    expect(followed).toBe(100);
    expect(outbox.dispatched()).toEqual([{ topic: changes.name, count: 100 }]);
    expect((await pool.query('SELECT 1 FROM effects')).rowCount).toBe(100);
  });

  it('runs only one dispatcher call at a time per message type and process', async () => {
    const outbox = makeOutbox();
    let running = 0;
    let most = 0;
    const seen: number[] = [];
    outbox.dispatch(changes, async (rows) => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen.push(...rows.map((row) => row.payload.n));
      running -= 1;
    });
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    await Promise.all(numbers.map((n) => withOutbox(pool, outbox, async (tx) => outbox.add(tx, changes, { n }))));
    await until(() => seen.length === 60);
    expect(most).toBe(1);
    expect(seen.toSorted((a, b) => a - b)).toEqual(numbers);
  });

  it('dispatches the rows of a crashed process periodically, each row once among several processes', async () => {
    const seen: number[] = [];
    const processes = [makeOutbox({ batchSize: 7 }), makeOutbox({ batchSize: 7 }), makeOutbox({ batchSize: 7 })];
    for (const outbox of processes) {
      outbox.dispatch(changes, async (rows) => void seen.push(...rows.map((row) => row.payload.n)));
    }
    await addAndCrash(
      processes[0]!,
      Array.from({ length: 100 }, (_, n) => ({ n })),
    );
    for (const outbox of processes) await outbox.start('worker');
    await until(async () => (await rowCount()) === 0);
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  it('notifies another process that has the dispatcher of the message type', async () => {
    const prefix = uniqueName();
    const worker = makeOutbox({ redis: redisUrl, prefix, sweepMs: 60_000 });
    const seen: number[] = [];
    worker.dispatch(changes, async (rows) => void seen.push(...rows.map((row) => row.payload.n)));
    await worker.start('worker');
    const api = makeOutbox({ redis: redisUrl, prefix });
    await api.start('api');
    await withOutbox(pool, api, async (tx) => api.add(tx, changes, { n: 0 })); // Its wakeup may precede the connection.
    await until(async () => {
      await withOutbox(pool, api, async (tx) => api.add(tx, changes, { n: 1 }));
      return seen.length > 0;
    });
    const before = Date.now();
    await withOutbox(pool, api, async (tx) => api.add(tx, changes, { n: 2 }));
    await until(() => seen.includes(2));
    expect(Date.now() - before).toBeLessThan(20_000);
  });

  it("waits until the row's notBefore", async () => {
    const outbox = makeOutbox();
    const seen: number[] = [];
    outbox.dispatch(changes, async (rows) => void seen.push(...rows.map((row) => row.payload.n)));
    const notBefore = new Date(Date.now() + 300);
    await withOutbox(pool, outbox, async (tx) => outbox.add(tx, changes, { n: 1 }, { notBefore }));
    await outbox.sweep();
    expect(seen).toEqual([]);
    await outbox.start('all');
    await until(() => seen.length === 1);
    expect(Date.now()).toBeGreaterThanOrEqual(notBefore.getTime());
  });

  it('upgrades rows of an older version, and leaves rows of a newer version to newer processes', async () => {
    const next = defineOutboxMessage({
      name: changes.name,
      version: 2,
      payload: z.strictObject({ number: z.int() }),
      upgrade: (payload) => ({ number: z.strictObject({ n: z.int() }).parse(payload).n }),
    });
    const [older, newer] = [makeOutbox(), makeOutbox()];
    const seen: unknown[] = [];
    older.dispatch(changes, async (rows) => void seen.push(...rows.map((row) => row.payload)));
    newer.dispatch(next, async (rows) => void seen.push(...rows.map((row) => row.payload)));
    await withOutbox(pool, makeOutbox(), async (tx) => {
      newer.add(tx, next, { number: 2 });
      await newer.flush(tx);
    });
    await older.sweep();
    expect(seen).toEqual([]);
    await addAndCrash(older, [{ n: 1 }]);
    await newer.sweep();
    expect(seen).toEqual([{ number: 2 }, { number: 1 }]);
  });
});

describe('rows of an older version', () => {
  const withName = (upgrade?: (payload: unknown) => unknown) =>
    defineOutboxMessage({
      name: changes.name,
      version: 2,
      payload: z.strictObject({ name: z.string() }),
      ...(upgrade ? { upgrade } : {}),
    });

  it('become dead letters if there is no upgrade, with an error that names the versions', async () => {
    const outbox = makeOutbox();
    outbox.dispatch(withName(), async () => {});
    await addAndCrash(outbox, [{ n: 1 }]);
    await outbox.sweep();
    const [aside] = await outbox.listDeadLetters(changes.name);
    expect(aside).toMatchObject({ version: 1, attempts: 1, payload: { n: 1 } });
    expect(aside?.error).toMatch(
      /^OutboxMessageVersionError: .*row of version 1 does not fit version 2.* declares no upgrade/,
    );
  });

  it('reach a process whose message type declares an upgrade after the rows are requeued', async () => {
    const [without, having] = [makeOutbox(), makeOutbox()];
    without.dispatch(withName(), async () => {});
    await addAndCrash(without, [{ n: 1 }]);
    await without.sweep();
    const seen: unknown[] = [];
    const upgraded = withName((payload) => ({ name: String(z.object({ n: z.int() }).parse(payload).n) }));
    having.dispatch(upgraded, async (rows) => void seen.push(...rows.map((row) => row.payload)));
    expect(await having.requeue(changes.name, { errorIncludes: 'OutboxMessageVersionError' })).toBe(1);
    await until(() => seen.length === 1);
    expect(seen).toEqual([{ name: '1' }]);
  });
});

describe('ordered outbox message types', () => {
  it('preserve the order of each key with three concurrent processes', async () => {
    const seen: Record<string, number[]> = { a: [], b: [], c: [] };
    const processes = [0, 1, 2].map(() => makeOutbox({ batchSize: 5 }));
    for (const outbox of processes) {
      outbox.dispatch(ordered, async (rows) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        for (const row of rows) seen[row.key ?? '']?.push(row.payload.n);
      });
    }
    const rows = Array.from({ length: 90 }, (_, n) => ({ n, key: 'abc'[n % 3]! }));
    await addAndCrash(processes[0]!, rows, ordered);
    await Promise.all(processes.map((outbox) => outbox.sweep()));
    await until(async () => {
      await Promise.all(processes.map((outbox) => outbox.sweep()));
      return (await rowCount()) === 0;
    });
    for (const [offset, key] of ['a', 'b', 'c'].entries()) {
      expect(seen[key]).toEqual(Array.from({ length: 30 }, (_, n) => n * 3 + offset));
    }
  });

  it('continue with a key as soon as another process has released the key', async () => {
    const [holder, other] = [makeOutbox({ sweepMs: 60_000 }), makeOutbox({ sweepMs: 60_000 })];
    const seen: number[] = [];
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    for (const outbox of [holder, other]) {
      outbox.dispatch(ordered, async (rows) => {
        if (rows.some((row) => row.payload.n === 1)) await held;
        seen.push(...rows.map((row) => row.payload.n));
      });
    }
    const add = (outbox: Outbox, n: number): Promise<void> =>
      withOutbox(pool, outbox, async (tx) => outbox.add(tx, ordered, { n }, { key: 'k' }));
    await add(holder, 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await add(other, 2);
    await new Promise((resolve) => setTimeout(resolve, 50));
    letGo();
    await until(() => seen.length === 2);
    expect(seen).toEqual([1, 2]);
  });

  it('preserve the order of a key while rows of its batch fail', async () => {
    const processes = [0, 1, 2].map(() => makeOutbox({ maxAttempts: 20, retryDelayMs: 1 }));
    const seen: number[] = [];
    for (const outbox of processes) {
      outbox.dispatch(ordered, async (rows) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
        if (Math.random() < 0.3) throw new Error('now and then');
        seen.push(...rows.map((row) => row.payload.n));
      });
    }
    const numbers = Array.from({ length: 12 }, (_, n) => n);
    await addAndCrash(
      processes[0]!,
      numbers.map((n) => ({ n, key: 'k' })),
      ordered,
    );
    await until(async () => {
      await Promise.all(processes.map((outbox) => outbox.sweep()));
      return (await rowCount()) === 0;
    }, 15_000);
    expect(seen).toEqual(numbers);
  });

  it('dispatch the oldest row of each key first, and alternate between keys', async () => {
    const outbox = makeOutbox({ batchSize: 4 });
    const batches: string[][] = [];
    outbox.dispatch(ordered, async (rows) => void batches.push(rows.map((row) => `${row.key}${row.payload.n}`)));
    await pool.query(
      `INSERT INTO queue.outbox (topic, payload, key, set_aside_at)
       SELECT $1, json_build_object('n', g), 'held', CASE g WHEN 0 THEN clock_timestamp() END
       FROM generate_series(0, 50000) g`,
      [ordered.name],
    );
    const rows = [0, 1, 2].flatMap((n) => ['a', 'b', 'c', 'x', 'y', 'z'].map((key) => ({ n, key })));
    await addAndCrash(outbox, rows, ordered);
    const began = performance.now();
    await outbox.sweep();
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(batches).toEqual([
      ['a0', 'b0', 'c0', 'x0'],
      ['y0', 'z0', 'y1', 'z1'],
      ['a1', 'b1', 'c1', 'x1'],
      ['y2', 'z2'],
      ['a2', 'b2', 'c2', 'x2'],
    ]);
  });

  it('stop only the key of a dead letter until the dead letter is requeued', async () => {
    const outbox = makeOutbox({ maxAttempts: 2, retryDelayMs: 1 });
    const seen: string[] = [];
    let poisoned = true;
    outbox.dispatch(ordered, async (rows) => {
      if (poisoned && rows.some((row) => row.key === 'a' && row.payload.n === 1)) throw new Error('cannot');
      seen.push(...rows.map((row) => `${row.key}${row.payload.n}`));
    });
    const rows = [0, 1, 2, 3].flatMap((n) => ['a', 'b'].map((key) => ({ n, key })));
    await addAndCrash(outbox, rows, ordered);
    await until(async () => {
      await outbox.sweep();
      return (await outbox.listDeadLetters(ordered.name)).length === 1;
    });
    await outbox.sweep();
    expect(seen.toSorted()).toEqual(['a0', 'b0', 'b1', 'b2', 'b3']);
    const [aside] = await outbox.listDeadLetters(ordered.name);
    expect(aside).toMatchObject({ key: 'a', payload: { n: 1 }, attempts: 2, error: 'Error: cannot' });
    expect(Date.now() - (aside?.createdAt.getTime() ?? 0)).toBeLessThan(10_000);
    expect(await outbox.depth()).toMatchObject([{ topic: ordered.name, waiting: 2, deadLetters: 1 }]);
    poisoned = false;
    expect(await outbox.requeue(ordered.name)).toBe(1);
    await until(async () => (await rowCount()) === 0);
    expect(seen.filter((name) => name.startsWith('a'))).toEqual(['a0', 'a1', 'a2', 'a3']);
  });
});

describe('failing rows', () => {
  it('become dead letters with their error, while the other rows of the batch are dispatched', async () => {
    const outbox = makeOutbox({ maxAttempts: 3, retryDelayMs: 1 });
    const seen: number[] = [];
    outbox.dispatch(changes, async (rows) => {
      if (rows.some((row) => row.payload.n === 5)) throw new Error('five');
      seen.push(...rows.map((row) => row.payload.n));
    });
    await addAndCrash(
      outbox,
      Array.from({ length: 10 }, (_, n) => ({ n })),
    );
    await outbox.start('all');
    await until(async () => (await outbox.listDeadLetters(changes.name)).length === 1);
    expect(seen.toSorted()).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9]);
    expect(await outbox.listDeadLetters(changes.name)).toMatchObject([{ attempts: 3, error: 'Error: five' }]);
    expect(await outbox.oldestAgeSeconds()).toBe(0);
    await pool.query(
      `INSERT INTO queue.outbox (topic, payload, created_at, not_before)
       VALUES ('test.waits', '{}', now() - interval '90 s', now() + interval '1 h')`,
    );
    expect(Math.floor((await outbox.oldestAgeSeconds()) / 10)).toBe(9);
  });

  it('count failures only for the failing row', async () => {
    const outbox = makeOutbox({ retryDelayMs: 60_000 });
    const tries: number[] = [];
    outbox.dispatch(changes, async (rows) => {
      if (rows.some((row) => row.payload.n === 2)) throw new Error('two');
      tries.push(...rows.map((row) => row.attempts));
    });
    await addAndCrash(
      outbox,
      [0, 1, 2, 3].map((n) => ({ n })),
    );
    await outbox.sweep();
    expect(tries).toEqual([0, 0, 0]);
    const { rows } = await pool.query('SELECT attempts, error FROM queue.outbox');
    expect(rows).toEqual([{ attempts: 1, error: 'Error: two' }]);
  });

  it('count no failure for errors of the database', async () => {
    const outbox = makeOutbox();
    outbox.dispatch(changes, async () => {
      throw Object.assign(new Error('terminated'), { code: '57P01' });
    });
    await addAndCrash(outbox, [{ n: 0 }, { n: 1 }]);
    await expect(outbox.sweep()).rejects.toThrow('terminated');
    const { rows } = await pool.query('SELECT attempts FROM queue.outbox');
    expect(rows).toEqual([{ attempts: 0 }, { attempts: 0 }]);
  });

  it('become dead letters without a dispatcher call if the payload is invalid', async () => {
    const outbox = makeOutbox({ maxAttempts: 1 });
    const seen: unknown[] = [];
    outbox.dispatch(changes, async (rows) => void seen.push(...rows.map((row) => row.payload)));
    await addAndCrash(outbox, [{ n: 1 }]);
    await pool.query(`INSERT INTO queue.outbox (topic, payload) VALUES ($1, '{"n":"x"}')`, [changes.name]);
    await outbox.sweep();
    expect(seen).toEqual([{ n: 1 }]);
    expect((await outbox.listDeadLetters(changes.name))[0]?.error).toMatch(/^ZodError/);
  });
});

describe('dead letters', () => {
  /**
   * Adds outbox rows 0 to 5 with two alternating keys. The dispatch of odd rows fails. Waits until the odd rows are
   * dead letters.
   */
  async function setAsideOdd(topic = changes): Promise<{ outbox: Outbox; seen: number[]; mend: () => void }> {
    const outbox = makeOutbox({ maxAttempts: 2, retryDelayMs: 1 });
    const seen: number[] = [];
    let broken = true;
    outbox.dispatch(topic, async (rows) => {
      const bad = rows.find((row) => row.payload.n % 2 === 1);
      if (broken && bad) throw new Error(`number ${bad.payload.n}`);
      seen.push(...rows.map((row) => row.payload.n));
    });
    await addAndCrash(
      outbox,
      [0, 1, 2, 3, 4, 5].map((n) => ({ n, key: `k${n}` })),
      topic,
    );
    await until(async () => {
      await outbox.sweep();
      return (await outbox.listDeadLetters(topic.name)).length === 3;
    });
    return { outbox, seen, mend: () => (broken = false) };
  }

  it('can be listed and requeued by id, key, error or time', async () => {
    const { outbox, seen, mend } = await setAsideOdd();
    mend();
    const numbers = async (filter: DeadLetterFilter): Promise<unknown[]> =>
      (await outbox.listDeadLetters(changes.name, filter)).map((row) => row.payload);
    const [first] = await outbox.listDeadLetters(changes.name, {}, 1);
    expect(await numbers({ ids: [first?.id ?? 0] })).toEqual([{ n: 1 }]);
    expect(await numbers({ key: 'k3' })).toEqual([{ n: 3 }]);
    expect(await numbers({ errorIncludes: 'number 5' })).toEqual([{ n: 5 }]);
    expect(await numbers({ errorIncludes: 'number %' })).toEqual([]);
    expect(await numbers({ deadLetteredBefore: new Date(Date.now() - 60_000) })).toEqual([]);
    expect(await numbers({ deadLetteredBefore: new Date(Date.now() + 60_000), key: 'k1' })).toEqual([{ n: 1 }]);

    expect(await outbox.requeue(changes.name, { key: 'k3' })).toBe(1);
    await until(() => seen.includes(3));
    expect(await numbers({})).toEqual([{ n: 1 }, { n: 5 }]);
    expect(await outbox.requeue(changes.name, { key: 'nobody' })).toBe(0);
    expect(await outbox.depth()).toEqual([{ topic: changes.name, waiting: 0, deadLetters: 2, oldestAgeSeconds: 0 }]);
  });

  it('unblock the rows that wait behind them when discarded', async () => {
    const { outbox, seen } = await setAsideOdd(ordered);
    await withOutbox(pool, outbox, async (tx) => outbox.add(tx, ordered, { n: 6 }, { key: 'k1' }));
    await outbox.sweep();
    expect(seen.toSorted()).toEqual([0, 2, 4]);
    expect(await outbox.discard(ordered.name, { key: 'k1' })).toBe(1);
    await until(() => seen.includes(6));
    await until(async () => (await outbox.depth())[0]?.waiting === 0);
    expect(await outbox.depth()).toMatchObject([{ deadLetters: 2 }]);
  });
});

describe('outbox fault points', () => {
  it.each(['outbox.after-commit', 'outbox.after-dispatch'] as const)(
    'cause no loss of rows by a crash at %s',
    async (name) => {
      const kill = (): never => {
        throw new Error('died');
      };
      const dying = makeOutbox({ faultPoint: createCrashListener({ name, nth: 1 }, kill) });
      const other = makeOutbox();
      const seen: number[] = [];
      for (const outbox of [dying, other]) {
        outbox.dispatch(changes, async (rows) => void seen.push(...rows.map((row) => row.payload.n)));
      }
      await withOutbox(pool, dying, async (tx) => dying.add(tx, changes, { n: 1 })).catch(() => {});
      await until(async () => {
        await other.sweep();
        return (await rowCount()) === 0;
      });
      expect(seen).toEqual([1]);
    },
  );
});

describe('outbox without Redis', () => {
  it('accepts writes while Redis is unavailable, and dispatches the rows later', async () => {
    const redis = await PrivateRedis.start();
    try {
      const prefix = uniqueName();
      const api = makeOutbox({ redis: redis.url, prefix });
      const worker = makeOutbox({ redis: redis.url, prefix, sweepMs: 200 });
      const seen: number[] = [];
      worker.dispatch(changes, async (rows) => void seen.push(...rows.map((row) => row.payload.n)));
      await redis.kill();
      const began = Date.now();
      for (let n = 0; n < 5; n += 1) await withOutbox(pool, api, async (tx) => api.add(tx, changes, { n }));
      expect(Date.now() - began).toBeLessThan(10_000);
      expect(await rowCount()).toBe(5);
      await redis.up();
      await worker.start('worker');
      await until(() => seen.length === 5);
    } finally {
      await redis.stop();
    }
  });
});
