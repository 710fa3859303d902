import { RedisServers, startRedisCluster, type TestRedisServer } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RedisUnavailableError } from '../src/index.js';
import { encodeAudience } from '../src/event-log/audience.js';
import { range, TestClient, TestProcess } from './event-log-support.js';
import { WholeProcess } from './redis-support.js';
import { testPool, uniqueName, until } from './queue-test-support.js';

let servers: RedisServers;
let nodes: TestRedisServer[];
let url = '';
let database: Awaited<ReturnType<typeof testPool>>;
const running: WholeProcess[] = [];
const cleanups: (() => Promise<void>)[] = [];

beforeAll(async () => {
  servers = await RedisServers.open();
  [nodes, database] = await Promise.all([startRedisCluster(servers, { replicas: 1 }), testPool()]);
  // The URL names only some of the nodes, as in a deployment.
  url = `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((process) => process.stop()));
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()));
});

afterAll(async () => {
  await servers.stop();
  await database.drop();
});

/** Starts an API process and a worker process. Their keys are distributed over all master nodes of a Redis Cluster. */
async function startBoth(
  prefix: 'north' | 'south' | 'spread' | 'orders' | 'lost',
): Promise<{ api: WholeProcess; worker: WholeProcess }> {
  const [api, worker] = (['api', 'worker'] as const).map((role) => new WholeProcess(database.pool, url, prefix, role));
  if (!api || !worker) throw new Error('two processes');
  running.push(api, worker);
  await Promise.all([api.ready(), worker.ready()]);
  return { api, worker };
}

/** Returns the number of master nodes of the Redis Cluster that store keys. */
async function mastersInUse(): Promise<number> {
  const sizes = await Promise.all(nodes.slice(0, 3).map(({ admin }) => admin.dbsize()));
  return sizes.filter((size) => size > 0).length;
}

describe('jobs, outbox and event log on a Redis cluster of three masters', () => {
  it('run jobs of all kinds across masters: bulk, delayed, limited, failed and requeued', async () => {
    const { api, worker } = await startBoth('spread');
    const wanted = await api.addOfEachKind();
    await until(() => worker.ran.length === wanted.length);
    expect(worker.ran.toSorted()).toEqual(wanted);
    await until(async () => (await api.jobs.failed()).length === 6);
    expect(await api.jobs.requeueFailed({ error: 'down' })).toBe(6);
    expect(await mastersInUse()).toBe(3);
  });

  it('notify a worker in another process when an outbox row is committed', async () => {
    const { api, worker } = await startBoth('orders');
    await api.ring(worker);
  });

  it('complete pending polls in any process, for realms on each of the masters', async () => {
    const { api, worker } = await startBoth('north');
    const realms = range(0, 6).map((n) => `realm ${n}`);
    const clients = await Promise.all(realms.map((realm) => api.register(realm)));
    const polls = clients.map((client) => client.receive(worker, 2));
    for (const realm of realms) for (const n of [1, 2]) await api.write(realm, n);
    expect(await Promise.all(polls)).toEqual(realms.map(() => [1, 2]));
    expect(await mastersInUse()).toBe(3);
  });

  it('lose no event of a log when its hash slot migrates during writes', async () => {
    await database.pool.query('CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY, realm text, n int)');
    const [prefix, realm] = [uniqueName(), uniqueName()];
    const process = new TestProcess(database.pool, prefix, { redis: url, sweepMs: 200 });
    cleanups.push(() => process.stop());
    await process.log.waitUntilStoreResponds();
    process.log.start();
    const client = await TestClient.register(process, realm, '7');
    // Writes almost as many units as share one string of headers.
    await database.pool.query(
      `INSERT INTO queue.outbox (topic, realm, payload, audience)
       SELECT 'event-log', $1, '{"event":{"type":"other"}}', $2 FROM generate_series(1, 1020)`,
      [realm, encodeAudience({ users: [9] })],
    );
    await process.log.sweep();
    const slot = Number(await nodes[1]?.admin.call('CLUSTER', 'KEYSLOT', `{${prefix}:${realm}}:log`));
    const keysOf = async (node: TestRedisServer): Promise<string[]> =>
      (await node.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
    const masters = nodes.slice(0, 3);
    const held = await Promise.all(masters.map(keysOf));
    const [from, to] = masters.toSorted(
      (a, b) => (held[masters.indexOf(b)]?.length ?? 0) - (held[masters.indexOf(a)]?.length ?? 0),
    );
    if (!from || !to) throw new Error('three masters');
    const [fromId, toId] = await Promise.all([from, to].map(({ admin }) => admin.call('CLUSTER', 'MYID')));
    await to.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(fromId));
    await from.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(toId));
    for (const n of range(0, 8)) await process.change(realm, n, { users: [7] });
    for (const key of await keysOf(from)) {
      await from.admin.call('MIGRATE', '127.0.0.1', to.port, key, 0, 5_000);
      await process.change(realm, 8, { users: [9] });
    }
    for (const node of [to, from, ...masters]) await node.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(toId));
    for (const n of range(8, 12)) await process.change(realm, n, { users: [7] });
    expect(await client.collect(process, 12)).toEqual(range(0, 12));
    const { rows } = await database.pool.query('SELECT id FROM queue.outbox WHERE realm = $1 AND void', [realm]);
    expect(rows).toEqual([]);
    const cold = new TestProcess(database.pool, prefix, { redis: url });
    cleanups.push(() => cold.stop());
    await cold.log.waitUntilStoreResponds();
    const late = await TestClient.register(cold, realm, '7');
    await process.change(realm, 12, { users: [7] });
    expect(late.things.filter((n) => n !== 8)).toEqual([...range(0, 8), ...range(9, 12)]);
    await until(async () => (await late.poll(cold)).length > 0);
    expect(late.things.at(-1)).toBe(12);
  }, 60_000);

  it('fail over when a master is killed', async () => {
    const { api, worker } = await startBoth('south');
    const realms = range(0, 6).map((n) => `realm ${n}`);
    const clients = await Promise.all(realms.map((realm) => api.register(realm)));
    for (const realm of realms) await api.write(realm, 1);
    await Promise.all(clients.map((client) => client.receive(worker, 1)));
    // The replica has all acknowledged writes; missing ones would be restored from PostgreSQL.
    await nodes[0]?.admin.wait(1, 2_000);
    const polls = clients.map((client) => client.receive(worker, 2, 15_000));
    await nodes[0]?.kill();
    for (const realm of realms) await api.write(realm, 2);
    expect(await Promise.all(polls)).toEqual(realms.map(() => [1, 2]));
    await until(() => api.addOfEachKind().then(Boolean, () => false));
    await until(() => new Set(worker.ran).size === 18);
    await api.ring(worker);
  });

  it('reject operations with RedisUnavailableError when a master without a replica is killed', async () => {
    const { api } = await startBoth('lost');
    await nodes[1]?.kill();
    const errors: unknown[] = [];
    await until(async () => {
      const names = ['one', 'two', 'three', 'four', 'five', 'six'];
      await Promise.all(names.map((name) => api.jobs.isPaused({ name }).catch((error: unknown) => errors.push(error))));
      return errors.length >= 12;
    }, 60_000);
    expect(errors.filter((error) => !(error instanceof RedisUnavailableError))).toEqual([]);
  }, 90_000);
});
