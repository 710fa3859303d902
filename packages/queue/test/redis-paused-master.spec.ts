import { RedisServers, startRedisCluster, startRedisSentinels, type TestRedisServer } from '@switchboard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WholeProcess } from './redis-support.js';
import { testPool, uniqueName, until } from './queue-test-support.js';

/** Time limit of a failover, in milliseconds. */
const failoverMs = 60_000;

let servers: RedisServers;
let database: Awaited<ReturnType<typeof testPool>>;
const running: WholeProcess[] = [];

beforeEach(async () => {
  [servers, database] = await Promise.all([RedisServers.open(), testPool()]);
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((process) => process.stop()));
  await servers.stop();
  await database.drop();
});

async function startBoth(url: string): Promise<{ api: WholeProcess; worker: WholeProcess }> {
  const prefix = uniqueName();
  const [api, worker] = (['api', 'worker'] as const).map((role) => new WholeProcess(database.pool, url, prefix, role));
  if (!api || !worker) throw new Error('two processes');
  running.push(api, worker);
  await Promise.all([api.ready(), worker.ready()]);
  return { api, worker };
}

/** Waits until a paused master, which still accepts connections, has become a replica after its resumption. */
function waitUntilReplica({ admin }: TestRedisServer): Promise<void> {
  return until(async () => JSON.stringify(await admin.role()).startsWith('["slave"'), failoverMs);
}

const hostOf = ({ port }: TestRedisServer): string => `127.0.0.1:${port}`;

describe('jobs, outbox and event log when a master is paused', () => {
  it('use the master that Sentinels announce, also while a Sentinel is paused', async () => {
    const { master, replica, sentinels } = await startRedisSentinels(servers, 'main');
    const { api, worker } = await startBoth(`redis+sentinel://${sentinels.map(hostOf).join(',')}/main`);
    const client = await api.register('realm');
    await api.write('realm', 1);
    expect(await client.receive(worker, 1)).toEqual([1]);
    await master.admin.wait(1, 2_000);

    const resumes = [master.pause(), sentinels[0]?.pause()];
    await until(async () => JSON.stringify(await replica.admin.role()).startsWith('["master"'), failoverMs);
    await api.write('realm', 2);
    expect(await client.receive(worker, 2, failoverMs)).toEqual([1, 2]);
    await until(() => api.addOfEachKind().then(Boolean, () => false), failoverMs);
    await until(() => new Set(worker.ran).size === 18, failoverMs);
    await api.ring(worker);

    for (const resume of resumes) resume?.();
    await waitUntilReplica(master);
    await api.write('realm', 3);
    expect(await client.receive(worker, 3, failoverMs)).toEqual([1, 2, 3]);
  }, 240_000);

  it('use the replica that a Redis Cluster promotes', async () => {
    const nodes = await startRedisCluster(servers, { replicas: 1 });
    const [master] = nodes;
    if (!master) throw new Error('no node');
    const { api, worker } = await startBoth(`redis+cluster://${nodes.map(hostOf).join(',')}`);
    const realms = Array.from({ length: 6 }, (_, n) => `realm ${n}`);
    const clients = await Promise.all(realms.map((realm) => api.register(realm)));
    for (const realm of realms) await api.write(realm, 1);
    await Promise.all(clients.map((client) => client.receive(worker, 1)));
    await master.admin.wait(1, 2_000);

    const resume = master.pause();
    for (const realm of realms) await api.write(realm, 2);
    const received = await Promise.all(clients.map((client) => client.receive(worker, 2, failoverMs)));
    expect(received).toEqual(realms.map(() => [1, 2]));
    await until(() => api.addOfEachKind().then(Boolean, () => false), failoverMs);
    await until(() => new Set(worker.ran).size === 18, failoverMs);
    await api.ring(worker);

    resume();
    await waitUntilReplica(master);
    for (const realm of realms) await api.write(realm, 3);
    expect(await Promise.all(clients.map((client) => client.receive(worker, 3, failoverMs)))).toEqual(
      realms.map(() => [1, 2, 3]),
    );
  }, 240_000);
});
