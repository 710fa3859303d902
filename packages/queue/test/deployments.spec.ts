import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  applyQueueMigrations,
  BadEventQueueError,
  defineOutboxMessage,
  EventLog,
  Outbox,
  QueueUsageError,
  setQueuePrefix,
  withOutbox,
  type OutboxOptions,
} from '../src/index.js';
import { plain } from './event-log-support.js';
import { redisUrl, testPool, TestTransaction, uniqueName, until } from './queue-test-support.js';

const topic = defineOutboxMessage({
  name: 'orders.placed',
  version: 1,
  payload: z.strictObject({ n: z.int() }),
  order: 'key',
});

let pool: pg.Pool;
let drop: () => Promise<void>;
const outboxes: Outbox[] = [];
const logs: EventLog[] = [];

beforeEach(async () => {
  ({ pool, drop } = await testPool({ checksPrefix: true }));
});
afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.stop()));
  await Promise.all(outboxes.splice(0).map((outbox) => outbox.stop()));
  await drop();
});

/** Creates the outbox of one process, with a dispatcher that collects the dispatched rows. */
function makeOutbox(options: Partial<OutboxOptions> = {}): { outbox: Outbox; seen: number[] } {
  const outbox = new Outbox({ pool, redis: redisUrl, sweepMs: 50, ...options });
  const seen: number[] = [];
  outbox.dispatch(topic, async (rows) => void seen.push(...rows.map(({ payload }) => payload.n)));
  outboxes.push(outbox);
  return { outbox, seen };
}

const place = (outbox: Outbox, n: number): Promise<void> =>
  withOutbox(pool, outbox, async (tx) => outbox.add(tx, topic, { n }, { key: 'one' }));

/** Commits an outbox row in the order of `@switchboard/database`: COMMIT is sent without waiting for `flush`. */
async function placeWithCommit(outbox: Outbox, n: number): Promise<void> {
  const client = await pool.connect();
  const tx = new TestTransaction(client);
  await tx.query('BEGIN');
  outbox.add(tx, topic, { n }, { key: 'one' });
  try {
    await Promise.all([outbox.flush(tx, { commitFollows: true }), tx.end('COMMIT')]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  outbox.dispatchAfterCommit(tx);
}

const countRows = async (schema = 'queue'): Promise<number> =>
  (await pool.query(`SELECT FROM ${schema}.outbox`)).rows.length;

describe('two services in one database with different schemas', () => {
  it('share no rows, notifications, events or jobs', async () => {
    const [prefix, other] = [uniqueName(), uniqueName()];
    await applyQueueMigrations(pool, { schema: 'billing' });
    const orders = makeOutbox({ prefix });
    const billing = makeOutbox({ prefix: other, schema: 'billing' });
    const ordersLog = new EventLog({ outbox: orders.outbox, pool, redis: redisUrl });
    const billingLog = new EventLog({ outbox: billing.outbox, pool, redis: redisUrl, schema: 'billing' });
    logs.push(ordersLog, billingLog);
    await Promise.all([orders.outbox.start('all'), billing.outbox.start('all')]);
    const queue = { realm: 'shop', owner: '1' };
    const options = { ...queue, idleTimeoutSeconds: 600, filter: {}, capabilities: {} };
    const [first, second] = await Promise.all([
      ordersLog.register(options, async () => null),
      billingLog.register(options, async () => null),
    ]);
    for (const [log, { outbox }, n] of [
      [ordersLog, orders, 1],
      [billingLog, billing, 2],
    ] as const) {
      await withOutbox(pool, outbox, async (tx) => {
        outbox.add(tx, topic, { n }, { key: 'one' });
        log.write(tx, { realm: 'shop', audience: { all: true }, event: { type: 'order', n } });
      });
    }
    const poll = { ...queue, lastEventId: -1, block: true, signal: AbortSignal.timeout(20_000) };
    expect(await ordersLog.poll({ ...poll, queueId: first.queueId }, plain)).toMatchObject([{ n: 1 }]);
    expect(await billingLog.poll({ ...poll, queueId: second.queueId }, plain)).toMatchObject([{ n: 2 }]);
    await until(() => orders.seen.length > 0 && billing.seen.length > 0);
    await Promise.all([orders.outbox.sweep(), billing.outbox.sweep(), ordersLog.sweep(), billingLog.sweep()]);
    expect([orders.seen, billing.seen]).toEqual([[1], [2]]);
    await expect(billingLog.poll({ ...poll, queueId: first.queueId }, plain)).rejects.toThrow(BadEventQueueError);
    expect([await orders.outbox.depth(), await billing.outbox.depth()]).toEqual([[], []]);
  });

  it('do not wait for the locks of each other', async () => {
    await applyQueueMigrations(pool, { schema: 'billing' });
    const [orders, billing] = [makeOutbox({ prefix: 'a' }), makeOutbox({ prefix: 'b', schema: 'billing' })];
    for (const { outbox } of [orders, billing]) await outbox.start('api');
    const [one, two] = [await pool.connect(), await pool.connect()];
    const first = await orders.outbox.begin(one);
    orders.outbox.add(first, topic, { n: 1 }, { key: 'one' });
    await orders.outbox.flush(first);
    const second = await billing.outbox.begin(two);
    billing.outbox.add(second, topic, { n: 2 }, { key: 'one' });
    await second.query("SET LOCAL statement_timeout = '5s'");
    await billing.outbox.flush(second);
    await Promise.all([first.commit(), second.commit()]);
    one.release();
    two.release();
    expect([await countRows('billing'), await countRows()]).not.toContain(2);
  });

  it('cause an error if they have the same prefix', async () => {
    await applyQueueMigrations(pool, { schema: 'billing' });
    await makeOutbox({ prefix: 'shop' }).outbox.start('api');
    const refused = makeOutbox({ prefix: 'shop', schema: 'billing' }).outbox.start('api');
    await expect(refused).rejects.toThrow('Prefix shop belongs to schema queue');
    await expect(makeOutbox({ prefix: 'billing', schema: 'billing' }).outbox.start('api')).resolves.toBeUndefined();
  });
});

describe('Outbox.start with a prefix that the schema does not belong to', () => {
  it('throws an error that names both prefixes, and dispatches nothing', async () => {
    const first = makeOutbox({ prefix: 'orders' });
    await first.outbox.start('api');
    // Left for the sweep of a worker.
    await pool.query(
      `INSERT INTO queue.outbox (topic, version, payload, key) VALUES ('orders.placed', 1, '{"n":1}', 'one')`,
    );
    const second = makeOutbox({ prefix: 'billing' });
    const refused = second.outbox.start('worker');
    await expect(refused).rejects.toThrow(QueueUsageError);
    await expect(refused).rejects.toThrow(
      'Schema queue belongs to the deployment with prefix orders, not to one with prefix billing',
    );
    await expect(second.outbox.sweep()).rejects.toThrow(QueueUsageError);
    await expect(place(second.outbox, 2)).rejects.toThrow(QueueUsageError);
    expect([second.seen, await countRows()]).toEqual([[], 1]);
    await first.outbox.sweep();
    expect(first.seen).toEqual([1]);
  });

  it('accepts the new prefix after setQueuePrefix', async () => {
    await makeOutbox({ prefix: 'orders' }).outbox.start('api');
    await setQueuePrefix(pool, { prefix: 'moved' });
    await expect(makeOutbox({ prefix: 'moved' }).outbox.start('api')).resolves.toBeUndefined();
    await expect(makeOutbox({ prefix: 'orders' }).outbox.start('api')).rejects.toThrow(QueueUsageError);
  });

  it('accepts only one prefix when processes with two prefixes start concurrently', async () => {
    const prefixes = ['a', 'b', 'a', 'b'];
    const started = await Promise.allSettled(prefixes.map((prefix) => makeOutbox({ prefix }).outbox.start('api')));
    const accepted = prefixes.filter((_, index) => started[index]?.status === 'fulfilled');
    expect(accepted).toHaveLength(2);
    expect(new Set(accepted).size).toBe(1);
  });

  it('resolves while the database is unavailable, and checks the prefix when rows are written', async () => {
    await makeOutbox({ prefix: 'orders' }).outbox.start('api');
    let isDown = true;
    const flaky = {
      query: <R>(sql: string, params?: unknown[]): Promise<{ rows: R[] }> =>
        isDown
          ? Promise.reject(new Error('connection terminated'))
          : (pool.query(sql, params) as unknown as Promise<{ rows: R[] }>),
      connect: () => (isDown ? Promise.reject(new Error('connection terminated')) : pool.connect()),
    };
    const { outbox } = makeOutbox({ prefix: 'billing', pool: flaky });
    await outbox.start('api');
    isDown = false;
    await expect(place(outbox, 1)).rejects.toThrow(QueueUsageError);
    expect(await countRows()).toBe(0);
  });
});

describe('Outbox.flush of an outbox that was not started', () => {
  it.each([
    ['withOutbox', place],
    ['a COMMIT that follows immediately', placeWithCommit],
  ])('rolls back the transaction when the schema belongs to another deployment, with %s', async (_name, commit) => {
    const first = makeOutbox({ prefix: 'orders' });
    await commit(first.outbox, 1);
    await until(() => first.seen.length === 1);
    const second = makeOutbox({ prefix: 'billing' });
    await expect(commit(second.outbox, 2)).rejects.toThrow('belongs to the deployment with prefix orders');
    expect([await countRows(), second.seen]).toEqual([0, []]);
    await commit(first.outbox, 3);
    await until(() => first.seen.length === 2);
  });

  it('does not store its prefix when the transaction is rolled back', async () => {
    const client = await pool.connect();
    const { outbox } = makeOutbox({ prefix: 'orders' });
    const tx = await outbox.begin(client);
    outbox.add(tx, topic, { n: 1 }, { key: 'one' });
    await outbox.flush(tx);
    await tx.rollback();
    client.release();
    const next = makeOutbox({ prefix: 'billing' });
    await place(next.outbox, 2);
    await until(() => next.seen.length === 1);
    await expect(place(outbox, 3)).rejects.toThrow(QueueUsageError);
  });
});

describe('EventLog', () => {
  it('rejects a schema or prefix that differs from that of its outbox', () => {
    const { outbox } = makeOutbox({ prefix: 'orders' });
    expect(() => new EventLog({ outbox, pool, redis: redisUrl, prefix: 'billing' })).toThrow(
      'The event log has prefix billing, but its outbox has prefix orders',
    );
    expect(() => new EventLog({ outbox, pool, redis: redisUrl, schema: 'billing' })).toThrow(QueueUsageError);
  });

  it('throws at a registration when the schema belongs to another deployment', async () => {
    await makeOutbox({ prefix: 'orders' }).outbox.start('api');
    const { outbox } = makeOutbox({ prefix: 'billing' });
    const log = new EventLog({ outbox, pool, redis: redisUrl });
    logs.push(log);
    const options = { realm: 'shop', owner: '1', idleTimeoutSeconds: 600, filter: {}, capabilities: {} };
    await expect(log.register(options, async () => null)).rejects.toThrow(QueueUsageError);
    await expect(log.sweep()).rejects.toThrow(QueueUsageError);
  });
});
